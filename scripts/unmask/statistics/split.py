"""What the two parts of a decoder's margins are on average: of all pairs, and of each bias type."""

import numpy as np
import pandas as pd

from unmask.measures.scoring import TIE_MARGIN, outcomes_of
from unmask.measures.split import PARTS, WHOLE
from unmask.statistics.decisions import groups
from unmask.statistics.dependence import Dependence
from unmask.statistics.schema import DIRECTION, SPLIT
from unmask.statistics.student import student
from unmask.tables import framed
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE


def split_table(
    pairs: pd.DataFrame, margins: pd.DataFrame, dependence: Dependence, confidence: float
) -> pd.DataFrame:
    """The mean of each part of the margins of LL, as unmask.statistics.schema.SPLIT.

    margins: those of unmask.measures.split.split_margins, of all `pairs` (PAIRS) in their order; `dependence`
    says which of them vary together. Pairs that LL is undefined for are left out. An interval is the mean
    ± t · clustered standard error, as that of a mean margin in unmask.statistics.bias.
    """
    values = margins[[*PARTS]].to_numpy(float)
    known = ~np.isnan(values).any(axis=1)
    decided = np.stack([outcomes_of(column, TIE_MARGIN) for column in values.T], axis=1)
    whole = decided[:, PARTS.index(WHOLE), None]
    either = (STEREOTYPE, ANTISTEREOTYPE)
    both_decide = np.isin(decided, either) & np.isin(whole, either)
    alike = (decided == whole) & both_decide
    rows: list[dict[str, object]] = []
    for grouping, group, of_group in groups(pairs):
        members = of_group[known[of_group]]
        if grouping == DIRECTION or not len(members):
            continue
        n, means = len(members), values[members].mean(axis=0)
        moments = dependence.among(members).moments(np.full(n, 1 / n), np.zeros(n, np.int64))
        variance = moments.variance(values[members] - means)
        of_means = student(means, variance.clustered, np.full(len(PARTS), variance.df), confidence)
        for column, part in enumerate(PARTS):
            rows.append(
                {
                    "grouping": grouping,
                    "group": group,
                    "part": part,
                    "n": n,
                    "margin": means[column],
                    "low": of_means.low[column],
                    "high": of_means.high[column],
                    "df": variance.df,
                    "alike": int(alike[members, column].sum()),
                    "decided": int(both_decide[members, column].sum()),
                    "confidence": confidence,
                }
            )
    return framed(rows, SPLIT)
