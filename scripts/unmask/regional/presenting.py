"""The tables and figures of regional bias (unmask.report.presenting)."""

from collections.abc import Iterable, Iterator
from functools import partial

from unmask.regional import tables
from unmask.regional.charts import drawn_charts
from unmask.regional.results import RegionalResults
from unmask.report.table_files import table_texts

Found = RegionalResults
"""What the core asks for by this name."""

__all__ = ["Found", "drawn_charts", "made_tables"]


def made_tables(results: RegionalResults, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The tables of these names as text, each with its name, as unmask.report.table_files has it."""
    return table_texts({name: partial(make, results) for name, make in tables.MAKERS.items()}, names)
