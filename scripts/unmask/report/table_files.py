"""The files of a family's tables: each table is made once, and written in the forms that are wanted."""

from collections.abc import Callable, Iterable, Iterator, Mapping

import pandas as pd

from unmask.report.csv_text import csv_text
from unmask.report.rendering import latex, markdown
from unmask.report.sheets import Sheet

Made = tuple[pd.DataFrame, Sheet]
"""The numbers of a table, and the table as it is read."""

FORMS: Mapping[str, Callable[[Made], str]] = {
    "csv": lambda made: csv_text(made[0]),
    "md": lambda made: markdown(made[1]),
    "tex": lambda made: latex(made[1]),
}
"""What a table is written as."""


def table_texts(makers: Mapping[str, Callable[[], Made]], wanted: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The tables of these names as text, each with its name.

    makers: what makes each table. A name is {table}_{form}, with a form of FORMS. Raises KeyError for an
    unknown name (a defect of the caller).
    """
    made: dict[str, Made] = {}
    for name in wanted:
        table, _, form = name.rpartition("_")
        if table not in made:
            made[table] = makers[table]()
        yield name, FORMS[form](made[table])
