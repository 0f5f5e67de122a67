"""Columns of the tables that a study is given, looked up before any work starts.

What cannot be read, or is fetched later, is left to the job that reads the table, which names file and row.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unmask.errors import InputError
from unmask.user_tables import CSV, columns_of

CROWS_PAIRS = ("", "sent_more", "sent_less", "stereo_antistereo", "bias_type", "annotations")
BIAS_ITEMS = ("text", "second", "gender", "occupation", "template")
REGIONS = ("name", "parent", "level")
WORD_PAIRS = ("feminine", "masculine")
"""Columns that formats want which leave no choice."""


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
        names = columns_of(table.path, table.entry)
        if names is not None and (missing := [each for each in table.columns if each not in names]):
            known = ", ".join(names)
            raise InputError(
                f"config key {table.key}: {table.path} has no column {missing[0]!r} (columns: {known})"
            )


def tables_of(config: Mapping[str, Any]) -> Iterator[Table]:
    """The tables on disk of which a completed study, or their format, says the columns."""
    for name, entry in (config.get("benchmarks") or {}).items():
        names: Sequence[str] = ()
        if entry["format"] == "table":
            names = [column for column in entry["columns"].values() if isinstance(column, str)]
        elif entry["format"] == "crows-pairs":
            names, entry = CROWS_PAIRS, {**entry, **CSV}
        yield from _on_disk(f"benchmarks.{name}", entry, names)
    downstream = config.get("downstream") or {}
    for name, task in (downstream.get("tasks") or {}).items():
        columns = task.get("columns", {}) if task["format"] == "table" else {}
        for part, source in task.get("files", {}).items():
            names = BIAS_ITEMS if part == "bias" else [column for column in columns.values() if column]
            if task["format"] == "table" and part in ("train", "dev", "test", "bias"):
                yield from _on_disk(f"downstream.tasks.{name}.files.{part}", source, names)
    regional = config.get("regional") or {}
    for name, entry in (regional.get("prefixes") or {}).items():
        yield from _on_disk(f"regional.prefixes.{name}", entry, list(entry["columns"].values()))
    if (regions := regional.get("regions") or {}).get("source") == "table":
        yield from _on_disk("regional.regions", {**regions, **CSV}, REGIONS)
    for key in ("debiasing", "downstream"):
        words = (config.get(key) or {}).get("words")
        if words not in (None, "published") and Path(words).suffix != ".yaml":
            yield from _on_disk(f"{key}.words", {"path": words, **CSV}, WORD_PAIRS)


def _on_disk(key: str, entry: Mapping[str, Any] | None, columns: Sequence[str]) -> Iterator[Table]:
    if entry and columns and isinstance(entry.get("path"), str):
        yield Table(key, Path(entry["path"]), entry, columns)
