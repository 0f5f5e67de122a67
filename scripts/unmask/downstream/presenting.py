"""The tables and figures of downstream tasks (unmask.report.presenting).

Tables are those of TABLES, figures those of unmask.downstream.charts.MAKERS.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from unmask.downstream import tables
from unmask.downstream.charts import MAKERS as CHARTS
from unmask.downstream.results import Found
from unmask.report.chart_files import charts_of
from unmask.report.sheets import Sheet
from unmask.report.table_files import Made, table_texts

__all__ = ["TABLES", "Found", "drawn_charts", "made_tables"]

TABLES: Mapping[str, Callable[[Found], Made]] = {
    "table1": tables.table1,
    "table2": tables.table2,
    "table3": tables.table3,
    "overview": tables.overview,
    "changes": tables.changes,
    # csv alone
    "occupations": lambda found: (tables.occupations(found), Sheet("", (), (), ())),
}


def made_tables(found: Found, wanted: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The tables of these names as text, each with its name.

    A name is {table}_{form}, with a form of unmask.report.table_files.FORMS and a table of TABLES. Raises
    KeyError for an unknown name (a defect of the caller).
    """
    yield from table_texts({name: partial(make, found) for name, make in TABLES.items()}, wanted)


drawn_charts = partial(charts_of, CHARTS)
"""The charts of some names, each with its name; where there is none, why."""
