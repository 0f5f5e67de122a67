"""The tables and figures of association tests (unmask.report.presenting).

Their names are those of unmask.associations.shown: {table}_{csv,md,tex}, and {figure}_{svg,png}.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from unmask.associations import tables
from unmask.associations.charts import MAKERS as CHARTS
from unmask.associations.results import AssociationResults
from unmask.report.chart_files import charts_of
from unmask.report.table_files import Made, table_texts

Found = AssociationResults
"""The name that unmask.report.presenting asks for."""

MAKERS: Mapping[str, Callable[[AssociationResults], Made]] = {
    "table1": tables.table1,
    "overview": tables.overview,
    "published": tables.published,
    "grounded": tables.grounded,
    "experiments": tables.experiments,
    "poolings": tables.poolings,
    "differences": tables.differences,
    "pairs": tables.pairs,
    "constructed": tables.constructed,
    "planted": tables.planted,
}


def made_tables(results: AssociationResults, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The tables of these names as text, each with its name.

    A name is {table}_{form}, with a table of unmask.associations.shown.TABLES and a form of
    unmask.report.table_files.FORMS. A table that the study has nothing for has no rows. Raises KeyError for
    an unknown name (a defect of the caller).
    """
    yield from table_texts({name: partial(make, results) for name, make in MAKERS.items()}, names)


drawn_charts = partial(charts_of, CHARTS)
"""The charts of some names, each with its name; where there is none, why."""
