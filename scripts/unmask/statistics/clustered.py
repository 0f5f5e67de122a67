"""A test of paired differences in which pairs that share a node may vary together."""

import math

import numpy as np

from unmask.statistics.dependence import Dependence
from unmask.statistics.intervals import Ints
from unmask.statistics.paired import clustered_mcnemar
from unmask.statistics.student import student
from unmask.statistics.tolerance import at_least

CLUSTERED = "clustered"
"""The unit of tests that take pairs that share nothing as independent, beside those of
unmask.statistics.options."""

REJECTABLE = 0.05
"""A test that cannot have a p so small is none."""

MOST_STRANGERS = 60
"""More are not counted: 2^-59 is as good as 0."""


def sharing_mcnemar(d: Ints, dependence: Dependence) -> dict[str, object]:
    """McNemar's test of pairs that share nodes: n, b, c, statistic, df, p, exact, untestable.

    d: of each pair, how many tokens the first alone has right less how many the second alone has, shape
    (n,); dependence: which of these pairs share a node.

    Where sharing is an equivalence, its classes are independent clusters: the test is that of
    `clustered_mcnemar`, with d summed in each, and df is null. It is then the test by pair where no two pairs
    share anything. Else statistic is Student's t: the mean of d over its standard error
    (Dependence.moments, the method of moments), with Satterthwaite's df, at most one less than there are
    d ≠ 0. Few words may all agree by chance, whatever the variance among their pairs: that k pairs of which
    no two share anything all go one way has the probability 2^(1-k), and p is no smaller (see `strangers`).

    b and c count pairs in which the first, or the second, has more right. Null are statistic, df and p where
    no d differs from 0, and where no result could have a p of REJECTABLE, or there is no df: `untestable` is
    then true if some d differs from 0. All pairs that share one node are such a case.
    """
    found: dict[str, object] = {"n": len(d), "b": int((d > 0).sum()), "c": int((d < 0).sum())}
    nothing = {"statistic": None, "df": None, "p": None, "exact": False}
    if not d.any():
        return found | nothing | {"untestable": False}
    cluster = clusters_of(dependence)
    if cluster is not None:
        sums = np.bincount(cluster, d).round().astype(np.int64)
        possible = 2.0 ** (1 - np.count_nonzero(sums)) <= REJECTABLE
        tested = clustered_mcnemar(sums)
        of_clusters = {name: tested[name] for name in ("statistic", "p", "exact")} | {"df": None}
        return found | (of_clusters if possible else nothing) | {"untestable": not possible}
    weights, mean = np.full(len(d), 1 / len(d)), d.mean()
    variance = dependence.moments(weights, np.zeros(len(d), np.int64)).variance((d - mean)[:, None])
    df = min(variance.df, np.count_nonzero(d) - 1.0)
    least = 2.0 ** (1 - strangers(dependence.among(np.flatnonzero(d))))
    # nan is not at least 1 either
    if least > REJECTABLE or not at_least(df, 1):
        return found | nothing | {"untestable": True}
    # the level is that of an interval, which is not asked for
    of_mean = student(np.array([mean]), variance.clustered, np.array([df]), 0.95)
    error, p = float(of_mean.error[0]), float(of_mean.p[0])
    return found | {
        # where all d are alike there is no error
        "statistic": None if math.isnan(error) else float(mean) / error,
        "df": df,
        "p": least if math.isnan(p) else max(p, least),
        "exact": False,
        "untestable": False,
    }


def strangers(dependence: Dependence) -> int:
    """How many pairs there are of which no two share anything, MOST_STRANGERS at most.

    They are chosen one after another, those that share with the fewest first; there may be larger such sets.
    """
    left = np.ones(len(dependence), bool)
    sharing = dependence @ np.ones(len(dependence))
    chosen = 0
    for place in np.argsort(sharing, kind="stable"):
        if left[place]:
            chosen += 1
            if chosen == MOST_STRANGERS:
                break
            own = np.zeros(len(dependence))
            own[place] = 1
            left &= dependence @ own < 0.5
    return chosen


def clusters_of(dependence: Dependence) -> Ints | None:
    """The number of each pair's cluster, from 0, where pairs that share nodes with one pair share with each
    other; None where some chain of them does not close."""
    n = len(dependence)
    # pairs that share with the same pairs have the same sum; whole numbers so small add up exactly
    names = np.random.default_rng(0).integers(0, 2 ** (46 - n.bit_length()), n).astype(np.float64)
    sums = dependence @ names
    _, cluster, sizes = np.unique(sums, return_inverse=True, return_counts=True)
    if not (sizes[cluster] == dependence @ np.ones(n)).all():
        return None
    return np.asarray(cluster, np.int64)
