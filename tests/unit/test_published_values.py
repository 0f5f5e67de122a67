"""Files of published values: the rows that are read, faults of a file, and the files of all families."""

import re
from pathlib import Path

import pandas as pd
import pytest

from library import Column, InputError, doubts, key, published_percents, read_published
from library import plugins_load as load

FILES = sorted((Path(__file__).parents[2] / "resources").glob("*/published.csv"))

OF_PAIRS = (
    key("model", required=True),
    key("benchmark", required=True),
    key("measure", required=True),
    key("control", choices=("shuffled", "unrelated")),
    key("group", required=True),
    key(
        "quantity",
        required=True,
        choices=[
            *("accuracy", "stereotypical pairs", "bias score"),
            *("LMS by target", "SS by target", "ICAT by target"),
        ],
    ),
    Column("reading", choices=("all-tokens", "shared-tokens", "modified-tokens", "candidates")),
    Column("pairs", float),
    Column("dagger", bool),
)

DECLARED = {
    "associations": ("study", "PRINTED"),
    "downstream": ("results", "PUBLISHED_COLUMNS"),
    "regional": ("results", "COLUMNS"),
}
"""Where a family declares the columns of its file, but in published.COLUMNS."""

COLUMNS = (
    key("model", required=True),
    key("side", choices=("left", "right")),
    Column("count", float),
    Column("bold", bool),
)

HEAD = "source,table,model,side,count,bold,value,doubtful,why"
TEXT = f"""# Numbers that "A" prints,
# with a comma
{HEAD}
A,table1,m,left,3,yes,0.50,,
A,table1,m,right,,,-2,yes,"too small,
by far"
A,table1,n,,,,1e3,yes,"too small,
by far"
A,table1,,,,,,,heads are odd
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "published.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_rows(tmp_path: Path) -> None:
    rows = read_published(write(tmp_path, TEXT), COLUMNS)
    assert list(rows) == HEAD.split(",")
    assert rows["value"].tolist()[:3] == [0.5, -2, 1000] and pd.isna(rows["value"][3])
    assert rows["side"].tolist()[:2] == ["left", "right"] and rows["side"].isna().tolist()[2:] == [True, True]
    assert rows["count"][0] == 3 and rows["count"].isna().tolist()[1:] == [True] * 3
    assert rows["bold"].tolist() == [True, False, False, False]
    assert rows["doubtful"].tolist() == [False, True, True, False]
    assert doubts(rows) == ("too small,\nby far", "heads are odd")


def test_columns_without_any_cell_merge_as_text(tmp_path: Path) -> None:
    rows = read_published(write(tmp_path, f"{HEAD}\nA,,m,,,,1,,\n"), COLUMNS)
    ours = pd.DataFrame({"model": ["m"], "side": ["left"]})
    assert ours.merge(rows, how="left", on=["model", "side"])["value"].isna().all()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (TEXT, "", ": no header in its first line"),
        (TEXT, HEAD, ": no rows in it"),
        (",bold,", ",loud,", ": no column 'bold' (columns: source, table, model, side, count, loud, "),
        (HEAD, f"{HEAD}x", ": no column 'why'"),
        ("A,table1,n", "A,table1,", ": row 2 (line 7): model: is empty"),
        ("0.50", "nan", ": row 0 (line 4): value: 'nan' is no number"),
        ("0.50", "", ": row 0 (line 4): value: is empty"),
        ("3,yes", "3,no", ": row 0 (line 4): bold: 'no' is neither yes nor empty"),
        (
            "m,right",
            "m,left",
            ": row 1 (line 5): source, table, model, side: 'A', 'table1', 'm', 'left' stands in row 0",
        ),
        ("A,table1,,,", "A,table1,m,,", ": row 3 (line 9): model: is not empty, and value is"),
        ("heads are odd", "", ": row 3 (line 9): value: is empty"),
    ],
)
def test_a_fault_of_the_file_is_one_line(old: str, new: str, said: str, tmp_path: Path) -> None:
    assert old in TEXT
    path = write(tmp_path, TEXT.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        read_published(path, COLUMNS)
    assert str(caught.value).startswith(f"{path}{said}") and "\n" not in str(caught.value)


def test_an_unknown_column_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, re.sub("(?m)$", ",", TEXT.replace(HEAD, f"{HEAD},more")))
    with pytest.raises(InputError):
        read_published(path, COLUMNS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_the_file_of_every_family_is_sound(path: Path) -> None:
    family = path.parent.name
    module, name = DECLARED.get(family, ("published", "COLUMNS"))
    rows = read_published(path, OF_PAIRS if family == "pairs" else getattr(load(family, module), name))
    assert not rows.loc[rows["doubtful"], "why"].isna().any()
    # where a value was read stands above the rows
    head = path.read_text(encoding="utf-8").partition("\nsource,")[0]
    assert all(line.startswith("#") for line in head.splitlines())


def printed_for_decoders() -> pd.DataFrame:
    rows = published_percents(FILES[0].parents[1] / "pairs/published.csv")
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
