"""Columns of the tables that a study is given, looked up before any work starts.

Only the head of a file is read, and no more than a line is wanted of it. What cannot be read so, or is
fetched later, is left to the job that reads the table, which names file and row.
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from unmask.errors import InputError

CROWS_PAIRS = ("", "sent_more", "sent_less", "stereo_antistereo", "bias_type", "annotations")
BIAS_ITEMS = ("text", "second", "gender", "occupation", "template")
REGIONS = ("name", "parent", "level")
WORD_PAIRS = ("feminine", "masculine")
"""Columns that formats want which leave no choice."""

_CSV = {"type": "csv"}
_DELIMITERS = {"csv": ",", "tsv": "\t"}


@dataclass(frozen=True)
class Table:
    """A table on disk. key: of the study; entry: how it is read; columns: the names that it must have."""

    key: str
    path: Path
    entry: Mapping[str, Any]
    columns: Sequence[str]


def check_columns(config: Mapping[str, Any]) -> None:
    """Check that tables of a completed study have the columns that it names.

    Raises InputError naming the key, the file, the column that is not there and those that are.
    """
    for table in tables_of(config):
        names = header_of(table.path, table.entry)
        missing = [column for column in table.columns if column not in names] if names is not None else []
        if names is not None and missing:
            known = ", ".join(names)
            raise InputError(
                f"config key {table.key}: {table.path} has no column {missing[0]!r} (columns: {known})"
            )


def tables_of(config: Mapping[str, Any]) -> Iterator[Table]:
    """The tables on disk of which a completed study, or their format, says the columns."""
    for name, entry in (config.get("benchmarks") or {}).items():
        wanted: Sequence[str] = ()
        if entry["format"] == "table":
            wanted = [column for column in entry["columns"].values() if isinstance(column, str)]
        elif entry["format"] == "crows-pairs":
            wanted, entry = CROWS_PAIRS, {**entry, **_CSV}
        yield from _on_disk(f"benchmarks.{name}", entry, wanted)
    downstream = config.get("downstream") or {}
    for name, task in (downstream.get("tasks") or {}).items():
        columns = task.get("columns", {}) if task["format"] == "table" else {}
        for part, source in task.get("files", {}).items():
            wanted = BIAS_ITEMS if part == "bias" else [column for column in columns.values() if column]
            if task["format"] == "table" and part in ("train", "dev", "test", "bias"):
                yield from _on_disk(f"downstream.tasks.{name}.files.{part}", source, wanted)
    regional = config.get("regional") or {}
    for name, entry in (regional.get("prefixes") or {}).items():
        yield from _on_disk(f"regional.prefixes.{name}", entry, list(entry["columns"].values()))
    if (regions := regional.get("regions") or {}).get("source") == "table":
        yield from _on_disk("regional.regions", {**regions, **_CSV}, REGIONS)
    for key in ("debiasing", "downstream"):
        words = (config.get(key) or {}).get("words")
        if words not in (None, "published") and Path(words).suffix != ".yaml":
            yield from _on_disk(f"{key}.words", {"path": words, **_CSV}, WORD_PAIRS)


def _on_disk(key: str, entry: Mapping[str, Any] | None, columns: Sequence[str]) -> Iterator[Table]:
    if entry and columns and isinstance(entry.get("path"), str):
        yield Table(key, Path(entry["path"]), entry, columns)


def header_of(path: Path, entry: Mapping[str, Any]) -> list[str] | None:
    """The names of a table's columns; of JSON lines, those of the first. None where they cannot be read."""
    type_ = entry.get("type") or PurePosixPath(urlsplit(str(entry["path"])).path).suffix[1:].lower()
    try:
        if type_ == "parquet":
            # here, as most studies have none, and should not wait for it
            import pyarrow.parquet

            return list(map(str, pyarrow.parquet.read_schema(path).names))
        with open(path, encoding="utf-8-sig", newline="") as file:
            if type_ == "jsonl":
                first = json.loads(next(line for line in file if line.strip()))
                return list(map(str, first)) if isinstance(first, dict) else None
            if type_ not in _DELIMITERS:
                return None
            rows = csv.reader(
                file,
                delimiter=str(entry.get("delimiter", _DELIMITERS[type_])),
                quoting=csv.QUOTE_MINIMAL if entry.get("quotes", True) else csv.QUOTE_NONE,
                strict=True,
            )
            return next(rows) or None
    except (OSError, ValueError, TypeError, csv.Error, StopIteration, RecursionError):
        # of Arrow too, whose errors are such
        return None
