"""Agreement with human raters: ROC curves of margins against ratings, as Figure 1 of the paper has them, and
the areas under them.

A pair's direction plays no part: the stereotype is the stereotypical side in either direction, so a margin or
a label is never turned round.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from unmask.statistics.schema import AGREEMENT, ROC
from unmask.statistics.scores import Decisions, in_order
from unmask.statistics.uncertainty import Flags, Floats, Sharing, by_pattern, contrast, t_test
from unmask.tables import framed

BIASED_FROM = 4
"""A pair is positive where so many raters or more chose a bias type, whichever."""

RULE: Mapping[str, Any] = {"votes": "any", "threshold": BIASED_FROM, "score": "margin", "direction": "all"}
"""What the table states of this."""

FEW = 10
"""With fewer members of a class than this, no variance is estimated from them."""


def vote_counts(pairs: pd.DataFrame) -> Floats:
    """How many raters of each pair chose a bias type; nan without ratings."""
    votes = pairs["ratings"].dropna().map(lambda ratings: sum(vote is not None for vote in ratings))
    return votes.reindex(pairs.index).to_numpy(float)


def placements(scores: Floats, positive: Flags) -> Floats:
    """Of a positive pair the share of negatives below it, of a negative one the share of positives above it,
    equal ones as a half, shape (pairs, k) as `scores`.

    (DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837; by midranks as in Sun & Xu 2014, IEEE Signal
    Processing Letters 21:1389.) The mean over either class is the area under the ROC curve, P(positive >
    negative) + ½ P(equal). Both classes have members.
    """
    within = np.empty(scores.shape)
    for members in (positive, ~positive):
        within[members] = pd.DataFrame(scores[members]).rank()
    others = np.where(positive, (~positive).sum(), positive.sum())[:, None]
    below = (pd.DataFrame(scores).rank().to_numpy() - within) / others
    placed: Floats = np.where(positive[:, None], below, 1 - below)
    return placed


def agreement_table(
    pairs: pd.DataFrame, decisions: Decisions, confidence: float, sharing: Sharing
) -> pd.DataFrame:
    """AUC of every measure and protocol, as unmask.statistics.schema.AGREEMENT.

    Pairs without ratings, or without a margin, are left out. Null is an area without a pair in either class,
    and its interval with fewer than FEW in one, where margins separate the classes or are all equal, so that
    placements do not vary, and where all pairs share something. Empty for a benchmark without ratings.
    """
    votes, margins, parts = vote_counts(pairs), decisions.margin, []
    rated = ~np.isnan(votes)
    for members, columns in by_pattern(np.where(rated[:, None], margins, np.nan)):
        positive = votes[members] >= BIASED_FROM
        rows = decisions.names.iloc[columns].assign(positives=positive.sum(), negatives=(~positive).sum())
        if positive.any() and not positive.all():
            placed = placements(margins[np.ix_(members, columns)], positive)
            areas = _areas(placed, positive, sharing.among(members), confidence)
            rows = rows.join(areas.set_axis(columns))
        parts.append(rows.assign(undefined=rated.sum() - len(members), **RULE))
    return in_order(parts if rated.any() else [], AGREEMENT)


def _areas(placed: Floats, positive: Flags, sharing: Sharing, confidence: float) -> pd.DataFrame:
    """The area of each of k columns of `placements`, with low, high and p of an area of one half: DeLong's
    variance is multiplied by the design effect of placements."""
    areas = pd.DataFrame({"auc": placed[positive].mean(axis=0)})
    sizes = positive.sum(), (~positive).sum()
    if min(sizes) < FEW:
        return areas
    of = contrast(placed, sharing, (~positive).astype(np.int64), (1.0, 1.0))
    variances = (placed[members].var(axis=0, ddof=1) for members in (positive, ~positive))
    delong = sum(variance / size for variance, size in zip(variances, sizes, strict=True))
    # where placements do not vary there is no design effect, and no variance
    variance = delong * of["clustered"] / of["independent"].where(of["independent"] > 0)
    tested = t_test(areas["auc"] - 0.5, variance.where(np.ptp(placed, axis=0) > 0), of["df"], confidence)
    ends = {end: (tested[end] + 0.5).clip(0, 1) for end in ("low", "high")}
    return areas.assign(**ends, p=tested["p"])


def curve(scores: Floats, positive: Flags) -> pd.DataFrame:
    """The ROC curve of scores: its corners from (0, 0) to (1, 1), as false_positive_rate, true_positive_rate.

    Ties are interpolated; points on a straight line between their neighbours are left out. Both classes have
    members.
    """
    counts = pd.crosstab(-scores, positive).cumsum()
    false, true = (np.append(0, counts[kind]) for kind in (False, True))
    run, rise = np.diff(false), np.diff(true)
    bends = run[1:] * rise[:-1] != run[:-1] * rise[1:]
    corners = np.concatenate([[True], bends, [True]])
    rates = {"false_positive_rate": false / false[-1], "true_positive_rate": true / true[-1]}
    return pd.DataFrame(rates)[corners]


def roc_table(pairs: pd.DataFrame, decisions: Decisions) -> pd.DataFrame:
    """The ROC curves of margins, as unmask.statistics.schema.ROC.

    A measure without a curve (a class is empty) has no rows.
    """
    votes, parts = vote_counts(pairs), []
    for (measure, protocol), margins in zip(decisions.series, decisions.margin.T, strict=True):
        members = ~np.isnan(votes) & ~np.isnan(margins)
        positive = votes[members] >= BIASED_FROM
        if positive.any() and not positive.all():
            parts.append(curve(margins[members], positive).assign(measure=measure, protocol=protocol))
    return framed(parts, ROC)
