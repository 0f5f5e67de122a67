"""Columns of the tables that a study is given, looked up before any work starts.

What cannot be read, or is downloaded later, is left to the job that reads the table, which says the same.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unmask.close_names import no_column
from unmask.errors import InputError
from unmask.user_tables import CSV, columns_of, unnamed_column

CROWS_PAIRS = ("", "sent_more", "sent_less", "stereo_antistereo", "bias_type", "annotations")
BIAS_ITEMS = ("text", "second", "gender", "occupation", "template")
REGIONS = ("name", "parent", "level")
WORD_PAIRS = ("feminine", "masculine")
OCCUPATIONS = ("occupation",)
WORD_VECTORS = ("word",)
PICTURES = ("image", "features")
"""Columns that formats want which leave no choice."""


@dataclass(frozen=True)
class Table:
    """A table on disk.

    key: of the study; entry: how it is read; columns: the names that it must have, each with the key of the
    study that names it.
    """

    key: str
    path: Path
    entry: Mapping[str, Any]
    columns: Mapping[str, str]


def check_columns(config: Mapping[str, Any]) -> None:
    """Check that tables of a completed study have the columns that it names.

    Raises InputError naming the key, the file, the column that is not there and those that are.
    """
    for table in tables_of(config):
        names = columns_of(table.path, table.entry)
        for column, key in table.columns.items():
            if names is not None and column not in names:
                raise InputError(f"config key {key}: {table.path} has {no_column(column, names)}")


def tables_of(config: Mapping[str, Any]) -> Iterator[Table]:
    """The tables on disk of which a completed study, or their format, says the columns."""
    for name, entry in (config.get("benchmarks") or {}).items():
        key = f"benchmarks.{name}"
        if entry["format"] == "table":
            yield from _with_named(key, entry, entry["columns"])
        elif entry["format"] == "crows-pairs":
            ids = unnamed_column(entry.get("path") or "")
            yield from _with_fixed(key, {**entry, **CSV}, (ids, *CROWS_PAIRS[1:]))
    for name, entry in (config.get("models") or {}).items():
        if entry["source"] == "scored" and "columns" in entry:
            yield from _on_disk(f"models.{name}", entry, _of_scores(f"models.{name}", entry["columns"]))
    downstream = config.get("downstream") or {}
    for name, task in (downstream.get("tasks") or {}).items():
        key = f"downstream.tasks.{name}"
        for part, source in task.get("files", {}).items():
            if part == "occupations":
                yield from _with_fixed(f"{key}.files.{part}", {**(source or {}), **CSV}, OCCUPATIONS)
            elif task["format"] == "table" and part == "bias":
                yield from _with_fixed(f"{key}.files.{part}", source, BIAS_ITEMS)
            elif task["format"] == "table" and part in ("train", "dev", "test"):
                yield from _with_named(key, source, task.get("columns", {}))
    regional = config.get("regional") or {}
    for name, entry in (regional.get("prefixes") or {}).items():
        yield from _with_named(f"regional.prefixes.{name}", entry, entry["columns"])
    if (regions := regional.get("regions") or {}).get("source") == "table":
        yield from _with_fixed("regional.regions", {**regions, **CSV}, REGIONS)
    for key in ("debiasing", "downstream"):
        words = (config.get(key) or {}).get("words")
        if words not in (None, "published") and Path(words).suffix != ".yaml":
            yield from _with_fixed(f"{key}.words", {"path": words, **CSV}, WORD_PAIRS)
    associations = config.get("associations") or {}
    for name, entry in (associations.get("vectors") or {}).items():
        if Path(entry["path"]).suffix == ".parquet":
            yield from _with_fixed(f"associations.vectors.{name}", entry, WORD_VECTORS)
    for name, suite in (associations.get("tests") or {}).items():
        if (features := suite.get("features")) and Path(features).suffix == ".parquet":
            yield from _with_fixed(f"associations.tests.{name}.features", {"path": features}, PICTURES)


def _of_scores(key: str, columns: Mapping[str, str | list[str]]) -> dict[str, str]:
    """The columns that a table of scores must have, each with the key that names it."""
    return {
        column: f"{key}.columns.{name}"
        for name, named in columns.items()
        for column in ([named] if isinstance(named, str) else named)
    }


def _with_named(key: str, entry: Mapping[str, Any] | None, columns: Mapping[str, Any]) -> Iterator[Table]:
    """A table whose columns the study names; what it names for all rows alike is no column."""
    named = {name: column for name, column in columns.items() if isinstance(column, str)}
    yield from _on_disk(key, entry, {column: f"{key}.columns.{name}" for name, column in named.items()})


def _with_fixed(key: str, entry: Mapping[str, Any] | None, columns: Iterable[str]) -> Iterator[Table]:
    """A table whose format says its columns."""
    yield from _on_disk(key, entry, dict.fromkeys(columns, key))


def _on_disk(key: str, entry: Mapping[str, Any] | None, columns: Mapping[str, str]) -> Iterator[Table]:
    if entry and columns and isinstance(entry.get("path"), str):
        yield Table(key, Path(entry["path"]), entry, columns)
