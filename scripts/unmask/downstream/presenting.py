"""The tables and figures of downstream tasks (unmask.report.presenting).

Tables are those of unmask.downstream.tables.MAKERS, figures those of unmask.downstream.charts.MAKERS.
"""

from collections.abc import Iterable, Iterator
from functools import partial

from unmask.downstream import charts, tables
from unmask.downstream.results import DownstreamResults
from unmask.report.chart_files import charts_of
from unmask.report.table_files import table_texts

Found = DownstreamResults
"""The name that unmask.report.presenting looks for."""


def made_tables(results: DownstreamResults, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The tables of these names as text, each with its name (unmask.report.table_files.table_texts)."""
    yield from table_texts({name: partial(make, results) for name, make in tables.MAKERS.items()}, names)


drawn_charts = partial(charts_of, charts.MAKERS)
"""The charts of some names, each with its name; where there is none, why."""
