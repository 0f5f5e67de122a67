"""What a study shows of sentence pairs: tables, figures and the sections of the report."""

from functools import partial

import pandas as pd

from unmask.pairs import agreement, charts, comparisons, every_pair, overview, planted, topics
from unmask.pairs.results import TIDY, PairResults
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
        **{name: partial(_table, name) for name in (*TIDY, "quality", *OF_PAPER)},
        "compared": comparisons.compared,
        "planted": planted.judgements,
    },
    {
        "figure1": (
            lambda results: agreement.figure1(agreement.curves(results)),
            "Figure 1 needs a benchmark with human ratings of both kinds; this study has none.",
        ),
        "bias": (lambda results: charts.overview(overview.scores(results)), "No bias scores."),
        "planted": (planted.judgements_chart, "No model of this study was trained on what was planted."),
        "series": (
            lambda results: charts.states(topics.states(results)),
            "No series of this study has a state with bias scores beside its first.",
        ),
    },
    captions=captioned(
        ["figure1", "bias", "planted", "series"],
        figure1="figure1_chart",
        bias="overview_chart",
        planted="planted_chart",
        series="series_chart",
    ),
    topics=(
        overview.section,
        planted.section,
        topics.STATES,
        topics.GROUPS,
        every_pair.section,
        topics.CONTROLS,
        topics.QUALITY,
        topics.COMPARISON,
        agreement.TOPIC,
        topics.PAPER,
    ),
)
