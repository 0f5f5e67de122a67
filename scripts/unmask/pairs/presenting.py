"""What a study shows of sentence pairs: tables, figures and the sections of the report."""

from functools import partial

import pandas as pd

from unmask.pairs import agreement, charts, comparisons, every_pair, overview, planted, topics
from unmask.pairs.results import TIDY, PairResults
from unmask.report.presenting import Presentation
from unmask.report.sheets import TableAndSheet

OF_PAPER = ("table1", "table3", "table4", "table5")
"""The tables of the paper, in every form; the others are CSV alone."""


def _table(name: str, results: PairResults) -> TableAndSheet | pd.DataFrame:
    numbers = results.tidy()[name]
    return (numbers, results.paper_sheets()[name]) if name in OF_PAPER else numbers


PRESENTS = Presentation(
    PairResults,
    (
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
    {
        **{name: partial(_table, name) for name in (*TIDY, "quality", *OF_PAPER)},
        "compared": comparisons.compared,
        "planted": planted.judgements,
    },
    {
        "bias": (lambda results: charts.overview(overview.scores(results)), "overview_chart"),
        "planted": (planted.judgements_chart, "planted_chart"),
    },
)
