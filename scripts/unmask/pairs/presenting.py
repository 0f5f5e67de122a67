"""The tables and figures over sentence pairs (unmask.report.presenting)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from unmask.pairs.agreement_charts import curves
from unmask.pairs.charts import overview
from unmask.pairs.results import PairResults
from unmask.report.chart_files import charts_of
from unmask.report.sheets import Sheet
from unmask.report.table_files import Made, table_texts

if TYPE_CHECKING:
    from unmask.report.charts import Drawn

Found = PairResults
"""The name under which unmask.report.presenting looks for a family's results."""

NO_SHEET = Sheet("", (), (), ())
"""Of a table that is written as CSV alone."""


def made_tables(results: PairResults, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The paper's tables in every form, and the tidy tables of the whole study as CSV."""
    tidy, sheets = results.tidy(), results.paper_sheets()

    def table(name: str) -> Made:
        return tidy[name], sheets.get(name, NO_SHEET)

    return table_texts({name: partial(table, name) for name in tidy}, names)


CHARTS: "Mapping[str, tuple[Callable[[PairResults], Drawn | None], str]]" = {
    "figure1": (
        lambda results: curves(results.roc, results.roc_bands, results.agreement),
        "Figure 1 needs a benchmark with human ratings of both kinds; this study has none.",
    ),
    "bias": (
        lambda results: overview(results.study, results.original, results.published),
        "No bias scores.",
    ),
}
"""By name: what makes a chart, and why there may be none."""

drawn_charts = partial(charts_of, CHARTS)
"""Figure 1 of the paper, and the chart of the bias scores."""
