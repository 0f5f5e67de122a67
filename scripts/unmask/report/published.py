"""Values that others have published, to show beside ours: resources/{family}/published.csv.

A file has a row for each value: source and table, the columns that its family declares, value, doubtful and
why. Lines before its header that begin with # say where values were read. Families merge the rows with theirs
by keys.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from unmask.user_tables import Column, Row, Table, key

if TYPE_CHECKING:
    import pandas as pd

DOUBT = "?"
"""The mark of a printed value that can hardly be meant."""

UNMASKING_THE_MASK = "Kaneko and Bollegala (2022)"
"""The paper that the tables over sentence pairs, and those of word frequency, follow."""

_FIRST = (key("source", required=True), key("table"))
_LAST = (Column("value", float), Column("doubtful", bool), Column("why"))


def published_rows(path: str | Path, columns: Sequence[Column]) -> list[Row]:
    """The rows of a file in its order, with source, table, `columns`, value, doubtful and why.

    Empty cells are None (of bool columns False). doubtful: whether a value can hardly be meant; why: what is
    odd about it. A row without a value has a reason, and nothing of `columns`: it is about a whole table.

    Raises InputError naming the file, and the row and column at fault: a column that is missing or unknown,
    a cell that is empty, no number or none of the choices, a value that is there twice.
    """
    return list(_rows(path, columns, _table(columns)))


def read_published(path: str | Path, columns: Sequence[Column]) -> "pd.DataFrame":
    """`published_rows` as a frame. Raises InputError as that does."""
    table = _table(columns)
    return table.frame(_rows(path, columns, table))


def doubts(published: "pd.DataFrame") -> tuple[str, ...]:
    """What is odd about published values, in the order of their rows."""
    return tuple(published["why"].dropna().drop_duplicates())


def _table(columns: Sequence[Column]) -> Table:
    # a row without a value has none of the columns
    return Table([*_FIRST, *(replace(column, required=False) for column in columns), *_LAST], others=False)


def _rows(path: str | Path, columns: Sequence[Column], table: Table) -> Iterator[Row]:
    for row in table.rows(path, comments=True):
        if row["value"] is None and row["why"] is None:
            raise row.fault("value", "is empty")
        for column in columns:
            if row["value"] is None and row[column.name]:
                raise row.fault(column.name, "is not empty, and value is")
            if row["value"] is not None and column.required and row[column.name] is None:
                raise row.fault(column.name, "is empty")
        yield row
