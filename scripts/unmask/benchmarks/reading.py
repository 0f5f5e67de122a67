"""Reading a benchmark, whatever its format, into the Pairs table."""

import logging
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.benchmarks.schema import PAIRS
from unmask.errors import InputError
from unmask.plugins import load
from unmask.terms import DIRECTIONS
from unmask.user_tables import Column, Table

_COLUMNS = (
    Column("pair_id", required=True, key=True, label=True),
    Column("bias_type", required=True, label=True),
    Column("stereotype", required=True),
    Column("antistereotype", required=True),
    Column("unrelated"),
    Column("context"),
    Column("target", label=True),
    Column("writer", label=True),
    Column("direction", choices=DIRECTIONS),
    Column("ratings", list, label=True),
)
"""What PAIRS has to be, whatever the format."""

logger = logging.getLogger(__name__)

FORMATS = "benchmarks/formats"
"""The folder of the formats' modules (see unmask.plugins)."""


def read_benchmark(path: str | Path, entry: Mapping[str, Any]) -> pd.DataFrame:
    """The pairs of a benchmark, one row each in the order of the file, with the columns of `PAIRS`.

    Texts, labels and directions are exactly those of the source: nothing is normalised, and what the
    source does not say is None. `entry` is the benchmark's part of the study (`format` and, for a table,
    `columns`).

    Raises InputError for an unknown format, and naming the file and the row or item where a pair is not whole
    and unambiguous, or a label (a bias type, an id) looks like another one that it is not.
    """
    path = Path(path)
    read = load(FORMATS, entry["format"]).read
    table = Table(_COLUMNS)
    rows = [table.check(path, place, cells) for place, cells in read(path, entry)]
    if not rows:
        raise InputError(f"{path}: no pairs in it")
    # dtype object keeps None, strings and lists as they are
    pairs = pd.DataFrame(rows, columns=PAIRS.names, dtype=object)
    _log_summary(path, pairs)
    return pairs


def _log_summary(path: Path, pairs: pd.DataFrame) -> None:
    types = ", ".join(f"{type_} {count}" for type_, count in Counter(pairs["bias_type"]).most_common())
    logger.info("%s: %d pairs (%s)", path, len(pairs), types)
    same = int((pairs["stereotype"] == pairs["antistereotype"]).sum())
    if same:
        logger.warning("%s: in %d pairs both sentences are the same", path, same)
