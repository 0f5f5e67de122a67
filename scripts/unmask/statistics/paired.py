"""McNemar's test of paired yes/no data: of independent units, of clusters, and of pairs that share nodes."""

import math

import numpy as np
import pandas as pd
from scipy.stats import chi2
from statsmodels.stats.contingency_tables import mcnemar as mcnemar_of

from unmask.statistics.dependence import Dependence
from unmask.statistics.intervals import Ints
from unmask.statistics.student import student
from unmask.statistics.tolerance import at_least

TOKEN, CLUSTERED = "token", "clustered"
"""What a test takes as independent: tokens, or pairs that share nothing."""

REJECTABLE = 0.05
"""A test that cannot have a p so small is none."""

MOST_STRANGERS = 60
"""More are not counted: 2^-59 is as good as 0."""

EXACT_BELOW = 25
"""Fewer discordant units than this: an exact test; else chi-square."""


def four_counts(first: "pd.Series[bool]", second: "pd.Series[bool]") -> Ints:
    """How many units are true in both, in the first alone, in the second alone, in neither."""
    one, other = first.to_numpy(bool), second.to_numpy(bool)
    return np.array(
        [(one & other).sum(), (one & ~other).sum(), (~one & other).sum(), (~one & ~other).sum()], np.int64
    )


def mcnemar(counts: Ints) -> dict[str, object]:
    """McNemar's test of paired yes/no data (McNemar 1947): n, both, b, c, neither, statistic, p, exact.

    counts: what `four_counts` gives. b counts units where only the first is true, c where only the second is.
    Without discordant units nothing can be tested, and statistic and p are null.
    """
    both, b, c, neither = map(int, counts)
    statistic, p, exact = mcnemar_of_counts(b, c)
    return {
        "n": both + b + c + neither,
        "both": both,
        "b": b,
        "c": c,
        "neither": neither,
        "statistic": statistic,
        "p": p,
        "exact": exact,
    }


def mcnemar_of_counts(b: int, c: int) -> tuple[float | None, float | None, bool]:
    """McNemar's (statistic, p, exact) of b units that differ one way and c the other; null where b + c is 0.

    Fewer than EXACT_BELOW: min(b, c) and the exact binomial p; else chi-square with continuity correction.
    """
    exact = b + c < EXACT_BELOW
    if b + c == 0:
        return None, None, exact
    test = mcnemar_of([[0, b], [c, 0]], exact=exact, correction=True)
    return float(test.statistic), float(test.pvalue), exact


def clustered_mcnemar(d: Ints) -> dict[str, object]:
    """McNemar's test of paired yes/no data in clusters: n, both, b, c, neither, statistic, p, exact.

    d: for each cluster, how many of its units are true in the first alone less how many are true
    in the second alone. statistic: (Σd)² / Σd², chi-square with 1 degree of freedom: the modified Obuchowski
    test of Yang, Sun & Hardin 2010 (Biometrical Journal 52:638), which they prefer to that of Durkalski et
    al. 2003 (Statistics in Medicine 22:2417; there each d is divided by the size of its cluster) for 50
    clusters or more. It takes clusters as independent, and units of one cluster as anything. Where fewer than
    EXACT_BELOW clusters have d ≠ 0, p is exact: how often |Σ ±d| reaches |Σd| over all choices of signs,
    which are equally likely where nothing differs. b and c count clusters in which the first, or the second,
    is true more often; both and neither are null. Where every d is 0, statistic and p are null.
    """
    d_of_some = d[d != 0]
    exact, total = len(d_of_some) < EXACT_BELOW, int(d.sum())
    statistic = total**2 / int(d_of_some @ d_of_some) if len(d_of_some) else None
    p = None
    if statistic is not None:
        p = _sign_flips(np.abs(d_of_some), abs(total)) if exact else float(chi2.sf(statistic, 1))
    return {
        "n": len(d),
        "b": int((d > 0).sum()),
        "c": int((d < 0).sum()),
        "statistic": statistic,
        "p": p,
        "exact": exact,
    }


def _sign_flips(sizes: Ints, reached: int) -> float:
    """P(|Σ ±sizes| ≥ reached) with each sign by the toss of a coin."""
    chances = np.ones(1)
    for size in sizes:
        step = np.zeros(2 * size + 1)
        step[[0, -1]] = 0.5
        chances = np.convolve(chances, step)
    sums = np.arange(len(chances)) - sizes.sum()
    return min(1.0, float(chances[np.abs(sums) >= reached].sum()))


def sharing_mcnemar(d: Ints, dependence: Dependence) -> dict[str, object]:
    """McNemar's test of pairs that share nodes: n, b, c, statistic, df, p, exact, untestable.

    d: of each pair, how many tokens the first alone has right less how many the second alone has, shape
    (n,); dependence: which of these pairs share a node.

    Where sharing is an equivalence, its classes are independent clusters: the test is that of
    `clustered_mcnemar`, with d summed in each, and df is null. Else statistic is Student's t: the mean of d
    over its standard error (Dependence.moments, the method of moments), with Satterthwaite's df, at most one
    less than there are d ≠ 0. Few words may all agree by chance, whatever the variance among their pairs:
    that k pairs of which no two share anything all go one way has the probability 2^(1-k), and p is no
    smaller (see `strangers`).

    b and c count pairs in which the first, or the second, has more right. Null are statistic, df and p where
    no d differs from 0, and where no result could have a p of REJECTABLE, or there is no df: `untestable` is
    then true if some d differs from 0. All pairs that share one node are such a case.
    """
    counts: dict[str, object] = {"n": len(d), "b": int((d > 0).sum()), "c": int((d < 0).sum())}
    nothing = {"statistic": None, "df": None, "p": None, "exact": False}
    if not d.any():
        return counts | nothing | {"untestable": False}
    cluster = clusters_of(dependence)
    if cluster is not None:
        sums = np.bincount(cluster, d).round().astype(np.int64)
        possible = 2.0 ** (1 - np.count_nonzero(sums)) <= REJECTABLE
        tested = clustered_mcnemar(sums)
        of_clusters = {name: tested[name] for name in ("statistic", "p", "exact")} | {"df": None}
        return counts | (of_clusters if possible else nothing) | {"untestable": not possible}
    weights, mean = np.full(len(d), 1 / len(d)), d.mean()
    variance = dependence.moments(weights, np.zeros(len(d), np.int64)).variance((d - mean)[:, None])
    df = min(variance.df, np.count_nonzero(d) - 1.0)
    least = 2.0 ** (1 - strangers(dependence.among(np.flatnonzero(d))))
    # nan is not at least 1 either
    if least > REJECTABLE or not at_least(df, 1):
        return counts | nothing | {"untestable": True}
    # the level is that of an interval, which is not asked for
    of_mean = student(np.array([mean]), variance.clustered, np.array([df]), 0.95)
    error, p = float(of_mean.error[0]), float(of_mean.p[0])
    return counts | {
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
            indicator = np.zeros(len(dependence))
            indicator[place] = 1
            left &= dependence @ indicator < 0.5
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
