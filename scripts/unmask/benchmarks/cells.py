"""Cells of the rows of a table that a user gives (unmask.benchmarks.rows), checked as they are taken."""

from collections.abc import Mapping, Sequence
from typing import Any

from unmask.errors import InputError
from unmask.strict import HALF


def cell(fields: Mapping[str, Any], column: str, where: str, needed_for: str = "") -> Any:
    """A row's cell. where: file and place of the row. needed_for: what it is to be, if not the column's name.

    Raises InputError naming the columns that there are, where this is none of them.
    """
    if column not in fields:
        purpose = f" for {needed_for}" if needed_for else ""
        raise InputError(f"{where}: no column {column!r}{purpose} (columns: {', '.join(map(str, fields))})")
    return fields[column]


def check_text(text: object, where: str, column: str) -> str:
    """The text of a cell. Raises InputError where there is none, or half of a character is in it."""
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"{where}: no text in column {column!r}")
    if HALF.search(text):
        raise InputError(f"{where}: column {column!r} has half of a character in it")
    return text


def value_text(value: object) -> str:
    """A value that stands for a label as text: 1, true and "1" are written in many ways."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def labels_by_value(labels: Mapping[str, Sequence[Any]], where: str) -> dict[str, str]:
    """The label that each value stands for, by the value's text. labels: the values of each.

    Raises InputError for a value of two labels.
    """
    label_of: dict[str, str] = {}
    for label, values in labels.items():
        for value in values:
            if label_of.setdefault(value_text(value), label) != label:
                raise InputError(f"{where}: the value {value!r} is under two labels")
    return label_of
