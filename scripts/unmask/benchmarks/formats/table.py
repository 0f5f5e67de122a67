"""Any table of sentence pairs (csv, tsv, jsonl, parquet), by a map of its columns.

columns:                             Pairs column <- where it is found
  stereotype: sent_x                 a column of the source
  antistereotype: sent_y
  bias_type: {value: gender}         the same for every pair
  direction: group                   `stereo` | `antistereo`, or as `directions` says; empty: not said
  ratings: votes                   a list, or text with a separator; an empty entry chose nothing
directions: {stereo: [F], antistereo: [M]}   values of the direction column
separator: ";"                     what stands between the ratings of one row
without: ["129"]                   pairs that are left out, by their pair_id

How the file is read, unmask.user_tables says.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from unmask.errors import InputError
from unmask.terms import DIRECTIONS
from unmask.user_files import quoted
from unmask.user_tables import Column, Table, choices_of, identifier

_REQUIRED = ("stereotype", "antistereotype", "bias_type", "pair_id")


def read(path: Path, entry: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place and the Pairs columns of every row, as the entry's `columns` map them.

    Without a map for `pair_id` the number of the row is the id. Raises InputError naming the file, and the
    column where the source has none of that name, or the row and column of a cell that does not fit, or a
    pair that is to be left out and is not there.
    """
    rules = entry["columns"]
    columns = [_column(name, rule, path, entry) for name, rule in rules.items()]
    same: dict[str, Any] = {}
    for column in columns:
        if column.header is None:
            try:
                same[column.name] = column.read(rules[column.name]["value"])
            except ValueError as error:
                raise InputError(f"{path}: columns: {column.name}: {error}") from None
    table = Table(column for column in columns if column.header is not None)
    absent = set(entry.get("without", []))

    def is_left_out(cells: Mapping[str, Any]) -> bool:
        """Whether the study leaves a pair out, which it names once."""
        pair_id = str(cells.get(rules["pair_id"]))
        is_named = pair_id in absent
        absent.discard(pair_id)
        return is_named

    rows = table.rows(path, entry, left_out=is_left_out) if absent else table.rows(path, entry)
    for number, row in enumerate(rows):
        yield row.place, {"pair_id": str(number)} | same | row
    if absent:
        raise InputError(f"{path}: without: there is no pair {min(absent)!r}")


def _column(name: str, rule: str | Mapping[str, Any], path: Path, entry: Mapping[str, Any]) -> Column:
    """A column of the source, by its header; one that says the same of every pair has none."""
    header = rule if isinstance(rule, str) else None
    if name == "direction":
        named = entry.get("directions") or {direction: [direction] for direction in DIRECTIONS}
        return Column(name, header=header, choices=choices_of(named, f"{path}: directions"))
    if name == "ratings":
        return Column(name, lambda cell: _ratings(cell, entry.get("separator")), header=header)
    kind = identifier if name == "pair_id" else str
    return Column(name, kind, required=name in _REQUIRED, header=header)


def _ratings(cell: Any, separator: str | None) -> list[str | None]:
    if isinstance(cell, str):
        if not separator:
            raise ValueError("is a text: set separator to what stands between the ratings")
        cell = [choice.strip() for choice in cell.split(separator)]
    if not (isinstance(cell, list) and all(choice is None or isinstance(choice, str) for choice in cell)):
        raise ValueError(f"is not a list of texts: {quoted(cell)}")
    return [choice or None for choice in cell]
