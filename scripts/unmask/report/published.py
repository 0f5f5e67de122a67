"""Values that others have published, to show beside ours: resources/{family}/published.csv.

A file has a row for each value: source and table, the columns that its family declares, value, doubtful and
why. Lines before its header that begin with # say where values were read. Families merge the rows with theirs
by keys.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unmask.benchmarks.delimited import read_delimited
from unmask.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

DOUBT = "?"
"""The mark of a printed value that can hardly be meant."""

YES = "yes"
"""What a cell of a bool column says that is not empty."""


@dataclass(frozen=True)
class Column:
    """A column of published values.

    kind: str, float, or bool (`yes` or empty). required: whether every value has it. key: whether it tells
    values of one source and table apart. choices: what a cell that is not empty may say, if not anything.
    """

    name: str
    kind: type[str] | type[float] | type[bool] = str
    required: bool = False
    key: bool = False
    choices: Collection[str] = ()


def key(name: str, required: bool = False, choices: Collection[str] = ()) -> Column:
    """A text column that tells values apart."""
    return Column(name, required=required, key=True, choices=choices)


_FIRST = (key("source", required=True), key("table"))
_LAST = (Column("value", float), Column("doubtful", bool), Column("why"))


def published_rows(path: str | Path, columns: Sequence[Column]) -> list[dict[str, Any]]:
    """The rows of a file in its order, with source, table, `columns`, value, doubtful and why.

    Empty cells are None (of bool columns False). doubtful: whether a value can hardly be meant; why: what is
    odd about it. A row without a value has a reason, and nothing of `columns`: it is about a whole table.

    Raises InputError naming the file, and the row and column at fault: a column that is missing or unknown,
    a cell that is empty, no number or none of the choices, a value that is there twice.
    """
    declared = (*_FIRST, *columns, *_LAST)
    rows: list[dict[str, Any]] = []
    places: dict[tuple[Any, ...], str] = {}
    for place, fields in read_delimited(Path(path), comments=True):
        where = f"{path}: {place}"
        _check_header(fields, declared, path)
        row = {column.name: _cell(column, fields[column.name], where) for column in declared}
        if row["value"] is None:
            _check_remark(row, columns, where)
        else:
            for column in declared:
                if column.required and row[column.name] is None:
                    raise InputError(f"{where}: {column.name} is empty")
        told_apart = (*(row[column.name] for column in declared if column.key), row["value"] is None)
        first = places.setdefault(told_apart, place)
        if first != place:
            raise InputError(f"{where}: the same value is there already, in {first}")
        rows.append(row)
    if not rows:
        raise InputError(f"{path}: no values in it")
    return rows


def read_published(path: str | Path, columns: Sequence[Column]) -> "pd.DataFrame":
    """`published_rows` as a frame. Raises InputError as that does."""
    # rules read what is published too, and do without pandas
    import pandas as pd

    declared = (*_FIRST, *columns, *_LAST)
    types = {column.name: "str" if column.kind is str else column.kind for column in declared}
    return pd.DataFrame(published_rows(path, columns)).astype(types)


def doubts(published: "pd.DataFrame") -> tuple[str, ...]:
    """What is odd about published values, in the order of their rows."""
    return tuple(published["why"].dropna().drop_duplicates())


def _check_header(fields: Mapping[str, str], declared: Sequence[Column], path: str | Path) -> None:
    names = [column.name for column in declared]
    for name in names:
        if name not in fields:
            raise InputError(f"{path}: no column {name!r} (columns: {', '.join(fields)})")
    for name in fields:
        if name not in names:
            raise InputError(f"{path}: column {name!r} is none of {', '.join(names)}")


def _cell(column: Column, text: str, where: str) -> str | float | bool | None:
    if column.kind is bool:
        if text not in ("", YES):
            raise InputError(f"{where}: {column.name}: {text!r} is neither {YES} nor empty")
        return text == YES
    if not text.strip():
        return None
    if column.choices and text not in column.choices:
        raise InputError(f"{where}: {column.name}: {text!r} is none of {', '.join(column.choices)}")
    return _number(text, f"{where}: {column.name}") if column.kind is float else text


def _number(text: str, where: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{where}: {text!r} is no number")
    return number


def _check_remark(row: Mapping[str, Any], columns: Sequence[Column], where: str) -> None:
    """Check a row without a value."""
    if row["why"] is None:
        raise InputError(f"{where}: value is empty")
    for column in columns:
        if row[column.name]:
            raise InputError(f"{where}: value is empty, and {column.name} is not")
