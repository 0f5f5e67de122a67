"""Files of published values: the rows that are read, faults of a file, and the files of all families."""

from pathlib import Path

import pandas as pd
import pytest

from library import doubts, read_published
from synthetic import pair_results

FILES = sorted((Path(__file__).parents[2] / "resources").glob("*/published.csv"))

TEXT = """# Numbers that "A" prints,
# with a comma
source,table,model,side,dagger,value,doubtful,why
A #1,table1,m,NA,yes,0.50,,
A #1,table1,m,,,-2,yes,"too small,
by far"
A #1,table1,n,,,1e3,yes,"too small,
by far"
A #1,table1,,,,,,heads are odd
"""


def test_rows(tmp_path: Path) -> None:
    (tmp_path / "published.csv").write_text(TEXT)
    rows = read_published(tmp_path / "published.csv")
    assert rows["value"].tolist()[:3] == [0.5, -2, 1000] and pd.isna(rows["value"][3])
    # a region, and not nothing
    assert rows["side"].tolist()[0] == "NA" and rows["side"].isna().tolist()[1:] == [True] * 3
    assert set(rows["source"]) == {"A #1"}
    assert rows["dagger"].tolist() == [True, False, False, False]
    assert rows["doubtful"].tolist() == [False, True, True, False]
    assert doubts(rows) == ("too small,\nby far", "heads are odd")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_the_file_of_every_family_is_sound(path: Path) -> None:
    rows = read_published(path)
    columns = list(rows)
    assert columns[0] == "source" and columns[-3:] == ["value", "doubtful", "why"]
    assert pd.api.types.is_float_dtype(rows["value"]) and rows["source"].notna().all()
    assert not rows.loc[rows["doubtful"] | rows["value"].isna(), "why"].isna().any()
    # keys stand before numbers and marks, and no value is there twice
    texts = [name for name in columns[:-3] if rows[name].dtype in ("str", object)]
    assert not rows[rows["value"].notna()].duplicated(texts).any()


def printed_for_decoders() -> pd.DataFrame:
    rows = pair_results([], []).published
    return rows[rows["measure"].isin(["LL", "LLMean"])]


def test_printed_counts_of_gpt2_add_up_to_the_printed_share() -> None:
    """The pull request prints 0.593501326259947 for all pairs, and shares by bias type."""
    rows = printed_for_decoders().query("model == 'gpt2-no-start'").set_index("group")
    types = rows.drop("all")
    assert (types["pairs"].sum(), types["value"].sum()) == (1508, 895) and len(types) == 9
    assert rows.loc["all", "percent"] == pytest.approx(59.3501326259947, abs=1e-12)
    assert rows.loc["socioeconomic", "percent"] == pytest.approx(66.86046511627907, abs=1e-12)


def test_printed_counts_of_pythia_are_whole_numbers_of_pairs_at_every_checkpoint() -> None:
    rows = printed_for_decoders().query("source == 'EleutherAI/pythia'")
    sizes = rows["model"].str.extract(r"pythia-(70m|410m)-step(\d+)$")
    assert sizes.notna().all(axis=None) and len(rows) == 2 * 2 * 12
    assert (rows.groupby(["benchmark", sizes[0]])["value"].count() == 12).all()
    assert set(rows["pairs"]) == {1677} and (rows["value"] == rows["value"].round()).all()
    last = rows[sizes[1] == "143000"].set_index(["model", "benchmark"])["percent"]
    of_70m = last["pythia-70m-step143000"]
    assert of_70m["crows-pairs-revised"] == pytest.approx(51.93798449612403, abs=1e-12)
    assert of_70m["crows-pairs-french"] == pytest.approx(42.695289206917114, abs=1e-12)
