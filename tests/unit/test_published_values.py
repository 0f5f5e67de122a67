"""Files of published values: the rows that are read, faults of a file, and the files of all families."""

from pathlib import Path

import pandas as pd
import pytest

from library import doubts, read_published

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
