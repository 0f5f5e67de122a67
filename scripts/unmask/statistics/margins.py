"""How far apart the two sentences of pairs are to a model, before and after debiasing."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median

import pandas as pd

from unmask.benchmarks.schema import PAIRS
from unmask.measures.reading import read_scores
from unmask.statistics.chosen import of_bias_type, of_pairs
from unmask.tables import read_metadata, read_table
from unmask.terms import CORRECTED

ROUNDING = 1e-6
"""A mean margin of no more is none."""

Margins = dict[tuple[str, str, str], float]
"""The mean margin of a model, benchmark and measure."""


def mean_margins(
    scores: Iterable[str | Path],
    pairs: Iterable[str | Path],
    measures: Sequence[str],
    bias_type: str | None,
) -> Margins:
    """The mean margin (stereotype less antistereotype, corrected) over the pairs of a bias type.

    scores: tables of SCORES; pairs: tables of PAIRS, called after their benchmarks. A share of pairs that
    prefer the stereotype can stay far from one half while what it rests on vanishes; the margin tells.
    """
    chosen = {Path(path).stem: of_bias_type(read_table(path, PAIRS), bias_type)[0] for path in pairs}
    found: Margins = {}
    for path in scores:
        facts = read_metadata(path)
        model, benchmark = str(facts["model"]), str(facts["benchmark"])
        rows = of_pairs(chosen[benchmark], read_scores(path, measures))
        rows = rows[rows["protocol"] == CORRECTED].dropna(subset=["margin"])
        for measure, margins in rows.groupby("measure", observed=True)["margin"]:
            found[model, benchmark, str(measure)] = float(margins.mean())
    return found


def share_left(changed: pd.DataFrame, margins: Margins) -> float | None:
    """What is left of the margins of the models before: the median share over the rows of a table of
    `unmask.statistics.changes`; None where there was no margin."""
    shares = []
    for row in changed.itertuples():
        before, after = (
            margins.get((str(model), str(row.benchmark), str(row.measure)))
            for model in (row.origin, row.model)
        )
        if before is not None and after is not None and abs(before) > ROUNDING:
            shares.append(abs(after / before))
    return median(shares) if shares else None
