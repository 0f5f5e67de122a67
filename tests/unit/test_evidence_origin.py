"""Scores of evidence of two states of a benchmark never meet."""

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from library import InputError, check_one_origin, write_table

KEYS = ("benchmark", "benchmark_sha256")
FACTS = {key: f"some {key}" for key in KEYS}


def scores(path: Path, **of_masking: dict[str, Any]) -> Path:
    facts = {"evidence": of_masking}
    write_table(path, pd.DataFrame({"n": [1]}), pa.schema([("n", pa.int64())]), facts)
    return path


@pytest.mark.parametrize("key", KEYS)
def test_scores_of_two_origins_do_not_meet(tmp_path: Path, key: str) -> None:
    one = scores(tmp_path / "one.parquet", none=FACTS, all={**FACTS, "model": "another"})
    check_one_origin([one, one], KEYS)
    other = scores(tmp_path / "other.parquet", none=FACTS, all={**FACTS, key: "another"})
    with pytest.raises(InputError) as error:
        check_one_origin([one, other], KEYS)
    told = f"{key} differs: another here, some {key} in {one}; delete both and run again"
    assert str(error.value) == f"{other}: {told}"
