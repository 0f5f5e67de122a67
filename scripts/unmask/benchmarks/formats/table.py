"""Any table of sentence pairs (csv, tsv, jsonl, parquet), by a map of its columns.

columns:                             Pairs column <- where it is found
  stereotype: sent_x                 a column of the source
  antistereotype: sent_y
  bias_type: {value: gender}         the same for every pair
  direction: group                   `stereo` | `antistereo`, or as `directions` says; empty: not said
  ratings: votes                   a list, or text with a separator; an empty entry chose nothing
directions: {stereo: [F], antistereo: [M]}   values of the direction column
separator: ";"                     what stands between the ratings of one row
type: csv | tsv | jsonl | parquet  where the file's name does not say
delimiter: ";"                     between the fields of csv and tsv, if it is another
quotes: false                      quote signs in csv and tsv are ordinary text
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from unmask.benchmarks.cells import cell
from unmask.benchmarks.rows import Rows, read_rows
from unmask.benchmarks.schema import PAIRS
from unmask.errors import InputError
from unmask.terms import DIRECTIONS

_REQUIRED = ("stereotype", "antistereotype", "bias_type")


def read(path: Path, entry: Mapping[str, Any]) -> Rows:
    """Yield the place and the Pairs columns of every row, as the entry's `columns` map them.

    Without a map for `pair_id` the number of the row is the id. Raises InputError naming the key where
    the map is wrong, the column where the source has none of that name, and the row where a cell does
    not fit.
    """
    columns = _checked_columns(path, entry)
    to_direction = _direction_map(path, entry)
    for number, (place, fields) in enumerate(read_rows(path, entry)):
        row: dict[str, Any] = {"pair_id": str(number)}
        for column, rule in columns.items():
            if isinstance(rule, Mapping):
                row[column] = rule["value"]
                continue
            value = cell(fields, rule, f"{path}: {place}", needed_for=column)
            try:
                row[column] = _checked(column, value, entry.get("separator"))
            except ValueError as error:
                raise InputError(f"{path}: {place}: column {rule!r}: {error}") from None
        try:
            row["direction"] = to_direction(row.get("direction"))
        except ValueError as error:
            raise InputError(f"{path}: {place}: {error}") from None
        yield place, row


def _checked_columns(path: Path, entry: Mapping[str, Any]) -> Mapping[str, str | Mapping[str, Any]]:
    """The column map: Pairs column -> the source's column, or {value: …}."""
    columns: Mapping[str, str | Mapping[str, Any]] = entry.get("columns") or {}
    for column, rule in columns.items():
        if column not in PAIRS.names:
            raise InputError(f"{path}: columns: unknown key {column!r} (known: {', '.join(PAIRS.names)})")
        if not isinstance(rule, str) and not (isinstance(rule, Mapping) and set(rule) == {"value"}):
            raise InputError(f"{path}: columns: {column} must name a column or be {{value: …}}, not {rule!r}")
    for column in _REQUIRED:
        if column not in columns:
            raise InputError(f"{path}: columns: {column} is missing")
    return columns


def _direction_map(path: Path, entry: Mapping[str, Any]) -> Callable[[object], str | None]:
    named = entry.get("directions") or {direction: [direction] for direction in DIRECTIONS}
    known: dict[str, str] = {}
    for direction, values in named.items():
        if direction not in DIRECTIONS:
            raise InputError(
                f"{path}: directions: unknown key {direction!r} (known: {', '.join(DIRECTIONS)})"
            )
        for value in values if isinstance(values, list) else [values]:
            if known.setdefault(str(value), direction) != direction:
                raise InputError(f"{path}: directions: {value!r} is under both {' and '.join(DIRECTIONS)}")

    def to_direction(value: object) -> str | None:
        if value is None or str(value) in known:
            return None if value is None else known[str(value)]
        raise ValueError(f"direction {value!r} is none of the known: {', '.join(known)}")

    return to_direction


def _checked(column: str, value: Any, separator: str | None) -> Any:
    """A cell as the Pairs table has it; an empty one of an optional column is None."""
    if column == "ratings":
        return _ratings(value, separator)
    if value is None or (isinstance(value, str) and not value.strip()):
        if column in (*_REQUIRED, "pair_id"):
            raise ValueError(f"{column} is empty")
        return None
    if isinstance(value, str):
        return value
    if column in ("pair_id", "direction") and isinstance(value, int):
        return str(value)
    raise ValueError(f"{column} is not text but {value!r}")


def _ratings(value: Any, separator: str | None) -> list[str | None] | None:
    if value is None or value == "":
        return None
    if isinstance(value, str):
        if not separator:
            raise ValueError("ratings are text: set separator to what stands between them")
        value = [choice.strip() for choice in value.split(separator)]
    if not (isinstance(value, list) and all(choice is None or isinstance(choice, str) for choice in value)):
        raise ValueError(f"ratings are not a list of texts: {value!r}")
    return [choice or None for choice in value]
