"""The files of a family's tables: each table is made once, and written in the forms that are wanted."""

from collections.abc import Callable, Iterable, Iterator, Mapping

import pandas as pd

from unmask.report.csv_text import csv_text
from unmask.report.rendering import latex, markdown
from unmask.report.sheets import Sheet

TableAndSheet = tuple[pd.DataFrame, Sheet]
"""The numbers of a table, and the table as it is read."""

NO_SHEET = Sheet("", (), (), ())

FORMS: Mapping[str, Callable[[TableAndSheet], str]] = {
    "csv": lambda table: csv_text(table[0]),
    "md": lambda table: markdown(table[1]),
    "tex": lambda table: latex(table[1]),
}
"""What a table is written as."""


def table_texts(
    tables: Mapping[str, Callable[[], TableAndSheet | pd.DataFrame]], files: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """Tables as text, each with its name.

    tables: what makes each table, numbers alone for one that is written as CSV alone. A name of files is
    {table}_{form}, with a form of FORMS. Raises KeyError for an unknown name (a defect of the caller).
    """
    computed: dict[str, TableAndSheet] = {}
    for name in files:
        table, _, form = name.rpartition("_")
        if table not in computed:
            numbers = tables[table]()
            computed[table] = (numbers, NO_SHEET) if isinstance(numbers, pd.DataFrame) else numbers
        yield name, FORMS[form](computed[table])
