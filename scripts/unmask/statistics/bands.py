"""Bands of ROC curves: where the true positive rate may lie at each false positive rate."""

import numpy as np
import numpy.typing as npt
from scipy.stats import t as student

from unmask.statistics.areas import FEW, Levels
from unmask.statistics.dependence import Dependence, blocks
from unmask.statistics.intervals import Floats
from unmask.statistics.tolerance import at_least

RATES: Floats = np.linspace(0, 1, 51)
"""The false positive rates at which a band is told."""

LEAST = 1e-12
"""A variance below this share of its most is rounding: nothing has varied."""

_STEPS = np.linspace(0, 1, 101)


def roc_band(
    levels: Levels, positive: npt.NDArray[np.bool_], dependence: Dependence, confidence: float
) -> tuple[Floats, Floats]:
    """(low, high) of the true positive rate at each of RATES: a pointwise band.

    levels: shape (pairs,), whole numbers from 0 in the order of the scores. Both are nan where a class has
    fewer than FEW members, and where the pairs all vary together.

    At every threshold the two rates have a joint region, Wilson's with Student's t: with z of either rate its
    distance from the true one over the standard deviation at the true one, all true rates with
    z0² - 2 r z0 z1 + z1² ≤ (1 - r²) t². The band is the union of these regions. It leaves out a point of the
    true curve where the rates at its threshold lie t standard deviations off across the curve, so the curve's
    slope need not be known. Effective numbers of pairs and r, the correlation of the two rates, allow for
    pairs that vary together. Equal scores are a straight step, of which a threshold may take a share.
    """
    unknown = np.full(len(RATES), np.nan)
    if min(positive.sum(), (~positive).sum()) < FEW:
        return unknown, unknown
    true, false, size, other_size, correlation, df = _thresholds(levels, positive, dependence)
    if not at_least(df, 1) or np.isnan(size).any() or np.isnan(other_size).any():
        return unknown, unknown
    most = float(student.ppf((1 + confidence) / 2, max(df, 1.0)))
    distance = false - RATES[:, None]
    # at rates of 0 and 1 nothing varies
    spread = np.sqrt((RATES * (1 - RATES))[:, None] / other_size)
    z = np.divide(distance, spread, out=np.where(distance == 0, 0.0, np.inf), where=spread > 0)
    inside = np.abs(z) <= most
    z = np.where(inside, z, 0.0)
    reach = np.sqrt((1 - correlation**2) * (most**2 - z**2))
    low = np.where(inside, _wilson(true, size, correlation * z + reach), np.inf).min(axis=1)
    high = np.where(inside, _wilson(true, size, correlation * z - reach), -np.inf).max(axis=1)
    return low, high


def _wilson(share: Floats, size: Floats, z: Floats) -> Floats:
    """The true share from which `share` of so many is z of the true one's standard deviations away."""
    centre, half = share + z**2 / (2 * size), z * np.sqrt(share * (1 - share) / size + (z / size) ** 2 / 4)
    ends: Floats = np.clip((centre - half) / (1 + z**2 / size), 0, 1)
    return ends


def _thresholds(
    levels: Levels, positive: npt.NDArray[np.bool_], dependence: Dependence
) -> tuple[Floats, Floats, Floats, Floats, Floats, float]:
    """Of thresholds along the curve the true and false positive rate, of how many independent pairs each is
    worth, and their correlation, shape (thresholds,) each; and the degrees of freedom."""
    m, n = int(positive.sum()), int((~positive).sum())
    weights, groups = np.where(positive, 1 / m, 1 / n), positive.astype(np.int64)
    # how far along the curve, by half the sum of its rates, each level begins and ends, the highest first
    steps = np.bincount(levels, weights, minlength=int(levels.max()) + 1)[::-1]
    falls = np.bincount(levels, weights * ~positive, minlength=len(steps))[::-1]
    ends, false_at = np.cumsum(steps) / 2, np.concatenate([[0], np.cumsum(falls)])
    ends[-1], false_at[-1] = 1, 1
    starts = np.concatenate([[0], ends[:-1]])
    place = np.minimum(np.searchsorted(ends, _STEPS), len(ends) - 1)
    along = np.unique(
        np.concatenate(
            [
                _STEPS,
                # thresholds between two levels, and those at RATES themselves
                ends[place],
                starts[place],
                np.interp(RATES, false_at, np.concatenate([[0], ends])),
            ]
        )
    )
    step = len(steps) - 1 - levels
    start, length = starts[step][:, None], (ends - starts)[step][:, None]
    moments = dependence.moments(weights, groups)
    classes = [(members, dependence.among(np.flatnonzero(members))) for members in (positive, ~positive)]
    rates, variances = np.empty((2, len(along))), np.empty((2, len(along)))
    covariance, df = np.empty(len(along)), float("nan")
    for some in blocks(len(levels), len(along)):
        # what share of a pair is above each threshold
        above = np.clip((along[some] - start) / length, 0, 1)
        for which, (members, among) in enumerate(classes):
            of_class = above[members]
            rates[which, some] = of_class.mean(axis=0)
            residuals = of_class - rates[which, some]
            above[members] = residuals
            equal = np.full(len(residuals), 1 / len(residuals))
            variance = among.variance(residuals, equal, np.zeros(len(residuals), np.int64))
            variances[which, some] = variance.clustered
        together = moments.variance(above)
        above[~positive] *= -1
        covariance[some] = (together.clustered - moments.variance(above).clustered) / 4
        df = together.df
    # where no pair, or every pair, is above a threshold, nothing says how pairs vary together
    worth = np.array([[m / classes[0][1].largest_effect()], [n / classes[1][1].largest_effect()]])
    sizes, spread = worth * np.ones_like(rates), rates * (1 - rates)
    np.divide(spread, np.maximum(variances, LEAST * spread), out=sizes, where=spread > LEAST)
    # but every curve begins and ends in the corners
    sizes[:, [0, -1]] = 1 / LEAST
    sizes[np.isnan(variances)] = np.nan
    scale = np.sqrt(variances.prod(axis=0))
    correlation = np.divide(covariance, scale, out=np.zeros(len(along)), where=scale > 0)
    return rates[0], rates[1], sizes[0], sizes[1], np.clip(correlation, -0.99, 0.99), df
