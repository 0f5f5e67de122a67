"""Tables are written whole, checked on write and on read."""

from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from examples import example_pairs
from unmask.errors import InputError
from unmask.tables import PAIRS, SCORES, read_table, write_table


def test_a_table_comes_back_as_it_was(tmp_path: Path) -> None:
    pairs = example_pairs()
    write_table(tmp_path / "pairs.parquet", pairs, PAIRS, {"rows": len(pairs)})
    back = read_table(tmp_path / "pairs.parquet", PAIRS)
    assert list(back.columns) == PAIRS.names
    assert list(back["stereotype"]) == list(pairs["stereotype"])
    assert back["unrelated"].isna().tolist() == pairs["unrelated"].isna().tolist()
    assert not list(tmp_path.glob(".*"))


def test_columns_and_nulls_that_do_not_fit_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    target = tmp_path / "pairs.parquet"
    with pytest.raises(ValueError, match="bias_type"):
        write_table(target, example_pairs().drop(columns="bias_type"), PAIRS, {})
    with pytest.raises(ValueError, match=r"bias_type.* null"):
        write_table(target, example_pairs().assign(bias_type=None), PAIRS, {})
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "pairs.parquet"
    write_table(target, example_pairs(), PAIRS, {})
    before = target.read_bytes()

    def fail(*args: object, **kwargs: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(pq.ParquetWriter, "write_table", fail)
    with pytest.raises(OSError, match="disk full"):
        write_table(target, example_pairs().iloc[:2], PAIRS, {})
    assert target.read_bytes() == before
    assert list(tmp_path.iterdir()) == [target]


def test_unreadable_and_foreign_files_give_one_line(tmp_path: Path) -> None:
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 but not really")
    with pytest.raises(InputError, match=r"broken.parquet: not a readable Parquet file"):
        read_table(broken, PAIRS)
    with pytest.raises(InputError, match=r"missing.parquet: no such file"):
        read_table(tmp_path / "missing.parquet", PAIRS)
    foreign = tmp_path / "foreign.parquet"
    pd.DataFrame({"a": [1]}).to_parquet(foreign)
    with pytest.raises(InputError, match="its columns are not those of this version"):
        read_table(foreign, SCORES)
