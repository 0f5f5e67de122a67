"""What the report says of word frequency: Table 2, and how margins correlate with frequency."""

from collections.abc import Iterator

from unmask.frequency import charts
from unmask.frequency.findings import FINDINGS
from unmask.frequency.results import FrequencyResults
from unmask.frequency.tables import correlation_sheet, table2_sheet
from unmask.report.charts import chart
from unmask.report.findings import sentences
from unmask.report.published import UNMASKING_THE_MASK
from unmask.report.sections import TRUST, Block, Section, Table, folded


def section(results: FrequencyResults) -> Section:
    return Section(
        "frequency",
        "Word frequency",
        sentences(FINDINGS, results),
        (
            *_groups(results),
            *_correlations(results),
            results.captions.computed("frequency"),
        ),
        group=TRUST,
    )


def _groups(results: FrequencyResults) -> Iterator[Block]:
    """How often groups are named."""
    if picture := charts.frequencies(results.words):
        alt = "Frequencies of the words of each group by bias type; medians and ranks are in the table below."
        yield chart(results.captions["frequency"], alt, picture)
    table2 = table2_sheet(results)
    # a table without rows says why there is none
    yield from folded(f"{UNMASKING_THE_MASK}, Table 2: mean ranks, medians and tests", table2) or (
        Table(table2),
    )


def _correlations(results: FrequencyResults) -> Iterator[Block]:
    """Whether measures follow frequency."""
    rows, captions = results.correlations, results.captions
    if picture := charts.correlations(rows):
        alt = "Correlations with intervals against the line at 0; their numbers are in the table below."
        yield chart(captions["frequency_figure_link"], alt, picture)
    yield from folded("The correlations under both protocols", correlation_sheet(results))
