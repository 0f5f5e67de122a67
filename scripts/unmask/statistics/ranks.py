"""Statistics of ranks: the Mann-Whitney test with its effect size, and Spearman's correlation."""

import math
from typing import NamedTuple

import numpy as np
from scipy.stats import mannwhitneyu, norm, spearmanr

from unmask.statistics.intervals import Floats

NAN = float("nan")


class MannWhitney(NamedTuple):
    """u counts the pairs (one of each sample) in which the first is larger, a tie as one half.

    effect is u over the number of such pairs, P(first > second) + ½ P(equal), Vargha and Delaney's A; .5 is
    no difference. rank_biserial is 2 effect - 1. p is two-sided. All but u are nan where a sample is empty.
    """

    u: float
    effect: float
    rank_biserial: float
    p: float


def mann_whitney(first: Floats, second: Floats) -> MannWhitney:
    """The Mann-Whitney test of two samples.

    p is exact where a sample has at most eight values and no two values are equal, else the normal
    approximation with corrections for ties and continuity (scipy's method `auto`).
    """
    if not (len(first) and len(second)):
        return MannWhitney(0.0, NAN, NAN, NAN)
    test = mannwhitneyu(first, second, alternative="two-sided", method="auto")
    effect = float(test.statistic) / (len(first) * len(second))
    return MannWhitney(float(test.statistic), effect, 2 * effect - 1, float(test.pvalue))


class Correlation(NamedTuple):
    rho: float
    low: float
    high: float


def spearman(first: Floats, second: Floats, confidence: float) -> Correlation:
    """Spearman's rank correlation with its interval.

    The interval is tanh(atanh rho ± z sqrt((1 + rho²/2) / (n - 3))), Fisher's transformation with the
    standard error of Bonett & Wright 2000. Ties get mean ranks. All nan where a sample is constant or has
    fewer than two values; the interval alone is nan where n < 4 or |rho| = 1.
    """
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return Correlation(NAN, NAN, NAN)
    rho = float(spearmanr(first, second).statistic)
    # rounding may leave a perfect correlation a hair beside 1
    if abs(rho) > 1 - 1e-12:
        return Correlation(math.copysign(1.0, rho), NAN, NAN)
    if len(first) < 4:
        return Correlation(rho, NAN, NAN)
    reach = float(norm.ppf((1 + confidence) / 2)) * math.sqrt((1 + rho**2 / 2) / (len(first) - 3))
    centre = math.atanh(rho)
    return Correlation(rho, math.tanh(centre - reach), math.tanh(centre + reach))
