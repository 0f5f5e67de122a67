"""The tables and figures of word frequency."""

from unmask.frequency.charts import correlations, frequencies
from unmask.frequency.results import FrequencyResults
from unmask.frequency.tables import table2, table2_sheet
from unmask.report.presenting import Presentation

PRESENTS = Presentation(
    FrequencyResults,
    {
        "table2": lambda results: (table2(results), table2_sheet(results)),
        "group_words": lambda results: results.words,
        "frequency_link": lambda results: results.correlations,
    },
    {
        "frequency": (
            lambda results: frequencies(results.words),
            "No benchmark of this study says which group a sentence names.",
        ),
        "frequency_link": (
            lambda results: correlations(results.correlations),
            "No benchmark of this study has both scores and word frequencies.",
        ),
    },
    captions={
        "frequency": lambda results: results.captions["frequency"],
        "frequency_link": lambda results: results.captions["frequency_figure_link"],
    },
)
