"""What a study shows of sentence pairs: tables, figures and the sections of the report."""

from functools import partial

import pandas as pd

from unmask.pairs import answer, charts, comparisons, every_pair, planted, topics
from unmask.pairs.results import TIDY, PairResults
from unmask.report.presenting import Presentation
from unmask.report.sections import METHOD, Section
from unmask.report.sheets import TableAndSheet

OF_PAPER = ("table1", "table3", "table4", "table5")
"""The tables of the paper, in every form; the others are CSV alone."""


def _table(name: str, results: PairResults) -> TableAndSheet | pd.DataFrame:
    numbers = results.tidy()[name]
    return (numbers, results.paper_sheets()[name]) if name in OF_PAPER else numbers


FEWEST = 30
"""Pairs that the largest benchmark has at least; of fewer there are the answer and the pairs alone."""


def _shows(results: PairResults, section: Section) -> bool:
    enough = max(map(len, results.pairs.values()), default=0) >= FEWEST
    return enough or section.name in ("answer", "pairs", METHOD)


PRESENTS = Presentation(
    PairResults,
    (
        answer.section,
        topics.GROUPS,
        topics.STATES,
        planted.PLANTED,
        every_pair.section,
        topics.TRUST,
        answer.method,
    ),
    {
        **{name: partial(_table, name) for name in (*TIDY, *OF_PAPER)},
        "compared": comparisons.compared,
        "planted": lambda results: results.judgements,
    },
    {
        "bias": (
            lambda results: charts.overview(charts.with_reported(answer.judged(results), results)),
            "overview_chart",
        ),
    },
    _shows,
)
