"""Evidence of two models, or of two states of one, never meets."""

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from unmask.errors import InputError
from unmask.evidence.origin import ORIGIN_KEYS, check_one_origin
from unmask.tables import write_table

FACTS = {key: f"some {key}" for key in ORIGIN_KEYS}


def table(path: Path, facts: dict[str, Any]) -> Path:
    write_table(path, pd.DataFrame({"n": [1]}), pa.schema([("n", pa.int64())]), facts)
    return path


def test_tables_of_one_origin_meet(tmp_path: Path) -> None:
    none = table(tmp_path / "none.parquet", {**FACTS, "masking": "none"})
    all_ = table(tmp_path / "all.parquet", {**FACTS, "masking": "all", "device": "cpu"})
    scores = table(tmp_path / "scores.parquet", {"evidence": {"none": FACTS, "all": FACTS}})
    check_one_origin([none, all_, scores])
    check_one_origin([])


@pytest.mark.parametrize("key", ORIGIN_KEYS)
def test_tables_of_two_origins_do_not(tmp_path: Path, key: str) -> None:
    other = {**FACTS, key: "another"}
    none = table(tmp_path / "none.parquet", FACTS)
    for facts in (other, {"evidence": {"none": FACTS, "all": other}}):
        path = table(tmp_path / "other.parquet", facts)
        with pytest.raises(InputError) as error:
            check_one_origin([none, path])
        told = f"{key} differs: another here, some {key} in {none}; delete both and run again"
        assert str(error.value) == f"{path}: {told}"
    # of another model, say, but of the same benchmark
    check_one_origin([none, path], [each for each in ORIGIN_KEYS if each != key])


def test_a_broken_table_is_named(tmp_path: Path) -> None:
    path = table(tmp_path / "none.parquet", FACTS)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(
        InputError, match=rf"^{path}: not a readable Parquet file .*; delete it and run again$"
    ):
        check_one_origin([path])
