"""The tables and figures of word frequency (unmask.report.presenting)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from unmask.frequency.charts import correlations, frequencies
from unmask.frequency.results import Found
from unmask.frequency.table2 import table2, table2_sheet
from unmask.report.chart_files import charts_of
from unmask.report.sheets import Sheet
from unmask.report.table_files import Made, table_texts

if TYPE_CHECKING:
    from unmask.report.charts import Drawn

__all__ = ["Found", "drawn_charts", "made_tables"]

NO_SHEET = Sheet("", (), (), ())
"""Of a table that is written as CSV alone."""


def made_tables(found: Found, wanted: Iterable[str]) -> Iterator[tuple[str, str]]:
    """table2 in every form, and group_words and frequency_link as CSV."""
    makers: Mapping[str, Callable[[], Made]] = {
        "table2": lambda: (
            table2(found.words, found.published),
            table2_sheet(found.words, found.published, found.captions, found.alpha),
        ),
        "group_words": lambda: (found.words, NO_SHEET),
        "frequency_link": lambda: (found.link, NO_SHEET),
    }
    yield from table_texts(makers, wanted)


CHARTS: "Mapping[str, tuple[Callable[[Found], Drawn | None], str]]" = {
    "frequency": (
        lambda found: frequencies(found.words),
        "No benchmark of this study says which group a sentence names.",
    ),
    "frequency_link": (
        lambda found: correlations(found.link),
        "No benchmark of this study has both scores and word frequencies.",
    ),
}
"""By name: what makes a chart (how often corpora use words; how margins go with that), and why there may be
none."""

drawn_charts = partial(charts_of, CHARTS)
