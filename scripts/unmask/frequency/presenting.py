"""The tables and figures of word frequency (unmask.report.presenting)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from unmask.frequency.charts import correlations, frequencies
from unmask.frequency.results import FrequencyResults
from unmask.frequency.tables import table2, table2_sheet
from unmask.report.chart_files import charts_of
from unmask.report.sheets import Sheet
from unmask.report.table_files import Made, table_texts

if TYPE_CHECKING:
    from unmask.report.charts import Drawn

Found = FrequencyResults
"""The name under which unmask.report.presenting looks for a family's results."""

NO_SHEET = Sheet("", (), (), ())
"""Of a table that is written as CSV alone."""


def made_tables(results: FrequencyResults, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """table2 in every form, and group_words and frequency_link as CSV."""
    makers: Mapping[str, Callable[[], Made]] = {
        "table2": lambda: (table2(results), table2_sheet(results)),
        "group_words": lambda: (results.words, NO_SHEET),
        "frequency_link": lambda: (results.correlations, NO_SHEET),
    }
    yield from table_texts(makers, names)


CHARTS: "Mapping[str, tuple[Callable[[FrequencyResults], Drawn | None], str]]" = {
    "frequency": (
        lambda results: frequencies(results.words),
        "No benchmark of this study says which group a sentence names.",
    ),
    "frequency_link": (
        lambda results: correlations(results.correlations),
        "No benchmark of this study has both scores and word frequencies.",
    ),
}
"""By name: what makes a chart (how often corpora use words; how margins correlate with that), and why there
may be none."""

drawn_charts = partial(charts_of, CHARTS)
