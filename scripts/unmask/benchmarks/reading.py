"""Reading a benchmark, whatever its format, into the Pairs table."""

import logging
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.benchmarks.schema import PAIRS
from unmask.by_name import load
from unmask.errors import InputError
from unmask.labels import Labels, fault_of
from unmask.strict import HALF
from unmask.terms import DIRECTIONS

_REQUIRED = ("pair_id", "bias_type", "stereotype", "antistereotype")
_TEXTS = (*_REQUIRED, "unrelated", "context", "target", "writer")
_LABELS = ("pair_id", "bias_type", "target", "writer", "ratings")
"""What rows are put together by. Other texts may hold anything."""


logger = logging.getLogger(__name__)

FORMATS = "benchmarks/formats"
"""The folder of the formats' modules (see unmask.by_name)."""


def read_benchmark(path: str | Path, entry: Mapping[str, Any]) -> pd.DataFrame:
    """The pairs of a benchmark, one row each in the order of the file, with the columns of `PAIRS`.

    Texts, labels and directions are exactly those of the source: nothing is normalised, and what the
    source does not say is None. `entry` is the benchmark's part of the study (`format` and, for a table,
    `columns`). In messages `row N` counts the data rows from 0, as the first column of CrowS-Pairs does;
    `line N` counts the lines of the file from 1, as an editor does.

    Raises InputError for an unknown format, and naming the file and the row or item where a pair is not whole
    and unambiguous, or a label (a bias type, an id) looks like another one that it is not.
    """
    path = Path(path)
    read = load(FORMATS, entry["format"]).read
    rows: list[dict[str, Any]] = []
    places: dict[str, str] = {}
    known = {column: Labels() for column in _LABELS}
    for place, row in read(path, entry):
        fault = _fault(row) or _label_fault(row, known, place)
        if fault:
            raise InputError(f"{path}: {place}: {fault}")
        if row["pair_id"] in places:
            raise InputError(
                f"{path}: {place}: id {row['pair_id']!r} is also that of {places[row['pair_id']]}"
            )
        places[row["pair_id"]] = place
        rows.append(row)
    if not rows:
        raise InputError(f"{path}: no pairs in it")
    # dtype object keeps None, strings and lists as they are
    pairs = pd.DataFrame(rows, columns=PAIRS.names, dtype=object)
    pairs = pairs.where(pairs.notna(), None)
    _log_summary(path, pairs)
    return pairs


def _fault(row: Mapping[str, Any]) -> str | None:
    """What is wrong with a pair, if anything."""
    for column in _REQUIRED:
        if not _is_text(row.get(column)):
            return f"no text in {column}"
    if row.get("unrelated") is not None and not _is_text(row["unrelated"]):
        return "no text in unrelated"
    for column in _TEXTS:
        value = row.get(column)
        if value is not None and not isinstance(value, str):
            return f"{column} is not text but {_shown(value)}"
        if value is not None and HALF.search(value):
            return f"{column} has half of a character in it: {_shown(value)}"
    if row.get("direction") not in (None, *DIRECTIONS):
        return f"unknown direction {row['direction']!r} (known: {', '.join(DIRECTIONS)})"
    return None


def _label_fault(row: Mapping[str, Any], known: Mapping[str, Labels], place: str) -> str | None:
    """What is wrong with the names by which rows are put together, if anything."""
    for column, labels in known.items():
        values = row.get(column) if column == "ratings" else [row.get(column)]
        for value in values or ():
            fault = value and (fault_of(value) or labels.check(value, place))
            if fault:
                return f"{column}: {fault}"
    return None


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _log_summary(path: Path, pairs: pd.DataFrame) -> None:
    types = ", ".join(f"{type_} {count}" for type_, count in Counter(pairs["bias_type"]).most_common())
    logger.info("%s: %d pairs (%s)", path, len(pairs), types)
    same = int((pairs["stereotype"] == pairs["antistereotype"]).sum())
    if same:
        logger.warning("%s: in %d pairs both sentences are the same", path, same)
