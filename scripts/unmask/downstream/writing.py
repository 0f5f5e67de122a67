"""The files of tables, out of the files of results."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from unmask.downstream import tables
from unmask.downstream.results import Found
from unmask.downstream.tables import Made
from unmask.report.rendering import latex, markdown
from unmask.report.sheets import Sheet

FORMS: Mapping[str, Callable[[Made], str]] = {
    "csv": lambda made: made[0].to_csv(index=False),
    "md": lambda made: markdown(made[1]),
    "tex": lambda made: latex(made[1]),
}
"""What a table is written as."""

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

    A name is {table}_{form}, with a form of FORMS and a table of TABLES. Raises KeyError for an unknown name
    (a defect of the caller).
    """
    found = Found(files, settings)
    made: dict[str, Made] = {}
    for name in wanted:
        table, _, form = name.rpartition("_")
        if table not in made:
            made[table] = TABLES[table](found)
        yield name, FORMS[form](made[table])
