"""Bias scores of shuffled sentences, and whether models prefer sentences that mean something."""

from unmask.pairs import accuracy_charts, lms, sheets
from unmask.pairs.findings import CONTROLS
from unmask.pairs.results import PairResults
from unmask.report.charts import chart
from unmask.report.findings import sentences
from unmask.report.sections import TRUST, Section, folded

ALT = (
    "Bias scores with intervals of sentences as they are written and with their tokens shuffled, against the "
    "line at 50; their numbers are in the table below."
)


def section(results: PairResults) -> Section:
    picture = accuracy_charts.shuffled(results.bias)
    charts = (chart(results.captions["shuffled_chart"], ALT, picture),) if picture else ()
    tables = (
        *folded("Bias scores with the tokens shuffled", sheets.shuffled(results)),
        *folded("Language model score and ICAT", lms.sheet(results)),
    )
    how = (results.captions.computed("controls"),) if charts or tables else ()
    said = (*sentences(CONTROLS, results), *lms.MEANING.sentences(results))
    return Section(
        "controls", "Control sentences", said, (*charts, *tables, *how), group=TRUST, label="Controls"
    )
