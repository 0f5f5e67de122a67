"""The files of tables, out of the files of results."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from unmask.downstream import tables
from unmask.downstream.results import Found
from unmask.report.sheets import Sheet
from unmask.report.table_files import Made, table_texts

TABLES: Mapping[str, Callable[[Found], Made]] = {
    "table1": tables.table1,
    "table2": tables.table2,
    "table3": tables.table3,
    "overview": tables.overview,
    "changes": tables.changes,
    # csv alone
    "occupations": lambda found: (tables.occupations(found), Sheet("", (), (), ())),
}


def made_tables(
    files: Mapping[str, Any], settings: Mapping[str, Any], wanted: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """The tables of these names as text. files, settings: those of Found.

    A name is {table}_{form}, with a form of unmask.report.table_files.FORMS and a table of
    TABLES. Raises KeyError for an unknown name
    (a defect of the caller).
    """
    found = Found(files, settings)
    yield from table_texts({name: partial(make, found) for name, make in TABLES.items()}, wanted)
