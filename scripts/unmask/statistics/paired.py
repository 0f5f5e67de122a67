"""McNemar's test of paired yes/no data, of independent units and of units in clusters."""

import numpy as np
import pandas as pd
from scipy.stats import chi2
from statsmodels.stats.contingency_tables import mcnemar as mcnemar_of

from unmask.statistics.intervals import Ints

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
    found = mcnemar_of([[0, b], [c, 0]], exact=exact, correction=True)
    return float(found.statistic), float(found.pvalue), exact


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
