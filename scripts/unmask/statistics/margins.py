"""How far apart the two sentences of pairs are to a model, before and after debiasing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pandas as pd

from unmask.benchmarks.schema import PAIRS
from unmask.loading import paths_by
from unmask.measures.reading import read_scores
from unmask.statistics.decisions import of_bias_type, of_pairs
from unmask.tables import read_table
from unmask.terms import CORRECTED

ROUNDING = 1e-6
"""A margin of no more is none."""


@dataclass(frozen=True)
class Margin:
    """The margins of some pairs: their mean, with signs, and their typical size, the median of |margin|.

    Signs cancel in the mean: it can vanish while every pair keeps a large margin.
    """

    mean: float
    typical: float


Margins = dict[tuple[str, str, str], Margin]
"""By model, benchmark and measure."""


def margins_of(
    scores: Iterable[str | Path],
    pairs: Iterable[str | Path],
    measures: Sequence[str],
    bias_type: str | None,
) -> Margins:
    """The margins (stereotype less antistereotype, corrected) over the pairs of a bias type.

    scores: tables of SCORES; pairs: tables of PAIRS, called after their benchmarks. A share of pairs that
    prefer the stereotype can stay far from one half while what it rests on vanishes; the margins tell.
    """
    chosen = {Path(path).stem: of_bias_type(read_table(path, PAIRS), bias_type)[0] for path in pairs}
    found: Margins = {}
    for (model, benchmark), path in paths_by(scores, "model", "benchmark").items():
        rows = of_pairs(chosen[benchmark], read_scores(path, measures))
        rows = rows[rows["protocol"] == CORRECTED].dropna(subset=["margin"])
        for measure, own in rows.groupby("measure", observed=True)["margin"]:
            found[model, benchmark, str(measure)] = Margin(float(own.mean()), float(own.abs().median()))
    return found


@dataclass(frozen=True)
class Left:
    """What is left of typical margins: the least, median and largest share over `scores` bias scores."""

    least: float
    median: float
    most: float
    scores: int


def share_left(changed: pd.DataFrame, margins: Margins) -> Left | None:
    """The typical margins of models as shares of those of the models before, over the rows of a table of
    `unmask.statistics.changes`; None where there was no margin."""
    shares = []
    for row in changed.itertuples():
        before, after = (
            margins.get((str(model), str(row.benchmark), str(row.measure)))
            for model in (row.origin, row.model)
        )
        if before is not None and after is not None and before.typical > ROUNDING:
            shares.append(after.typical / before.typical)
    return Left(min(shares), median(shares), max(shares), len(shares)) if shares else None
