"""The tables and figures over sentence pairs: those of the paper, and the tidy ones of a study as CSV."""

from functools import partial

import pandas as pd

from unmask.pairs.agreement_charts import curves
from unmask.pairs.charts import overview
from unmask.pairs.judgement_charts import judgements as planted_chart
from unmask.pairs.judgement_tables import judgements as planted_table
from unmask.pairs.results import TIDY, PairResults
from unmask.pairs.sections import series
from unmask.report.presenting import Presentation, captioned
from unmask.report.table_files import TableAndSheet

OF_PAPER = ("table1", "table3", "table4", "table5")
"""The tables of the paper, in every form; the others are CSV alone."""


def _table(name: str, results: PairResults) -> TableAndSheet | pd.DataFrame:
    numbers = results.tidy()[name]
    return (numbers, results.paper_sheets()[name]) if name in OF_PAPER else numbers


PRESENTS = Presentation(
    PairResults,
    {
        **{name: partial(_table, name) for name in (*TIDY, *OF_PAPER)},
        "versions": lambda results: results.versions,
        "planted": planted_table,
        "series": series.table,
    },
    {
        "figure1": (
            lambda results: curves(results.roc, results.agreement),
            "Figure 1 needs a benchmark with human ratings of both kinds; this study has none.",
        ),
        "bias": (
            lambda results: overview(results.study, results.original, results.published),
            "No bias scores.",
        ),
        "planted": (planted_chart, "No model of this study was trained on what was planted."),
        "series": (series.picture, "No series of this study has a state with bias scores beside its first."),
    },
    captions=captioned(
        ["figure1", "bias", "planted", "series"],
        bias="overview",
        planted="planted_chart",
        series="series_chart",
    ),
)
