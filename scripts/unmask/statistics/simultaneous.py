"""Simultaneous intervals, and p values to match, of estimates that vary together.

Each estimate has a standard error and degrees of freedom, as for Student's t. That k of them are tested
widens each interval by how far the largest of k correlated |z| reaches: the single-step method of Hothorn,
Bretz & Westfall 2008 (Biometrical Journal 50:346, section 3.1), with the draws of a normal distribution of
these correlations in place of an integral. A z becomes a t of the same tail, so each estimate keeps its own
degrees of freedom.
"""

import numpy as np
from scipy.stats import norm, t

from unmask.statistics.intervals import Floats

DRAWS = 100_000
"""Of the largest |z|: its 95% point is then known to about 0.01."""

FEW = 100
"""A point that fewer draws reach is not taken from them: Šidák's takes its place."""

SEED = 0
"""Always the same, so that the same scores give the same intervals."""


def correlations(covariance: Floats) -> Floats:
    """The correlations of k estimates, shape (k, k), as a matrix that some estimates can have.

    covariance: with variances above 0. Estimated covariances may contradict each other: then the negative
    eigenvalues of the correlations are taken as 0, and the diagonal is made 1 again.
    """
    errors = np.sqrt(np.diag(covariance))
    values, vectors = np.linalg.eigh(covariance / np.outer(errors, errors))
    possible = (vectors * np.maximum(values, 0)) @ vectors.T
    errors = np.sqrt(np.diag(possible))
    correlation: Floats = possible / np.outer(errors, errors)
    return correlation


class LargestOf:
    """The largest |z| of k estimates of which none differs from 0.

    correlation: shape (k, k), of the diagonal 1. That of one estimate is computed and not drawn.
    """

    def __init__(self, correlation: Floats) -> None:
        self._k = len(correlation)
        values, vectors = np.linalg.eigh(correlation)
        # the symmetric root is unique, where eigenvectors have signs that libraries choose
        root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
        drawn = np.random.default_rng(SEED).standard_normal((DRAWS if self._k > 1 else 0, self._k))
        self._largest = np.sort(np.abs(drawn @ root).max(axis=1)) if self._k > 1 else np.empty(0)

    def corrected(self, p: Floats) -> Floats:
        """How likely some of k estimates has so small a p, of p values of single estimates.

        It is between p itself and Šidák's 1 - (1 - p)^k, which hold for all correlations. nan stays nan.
        """
        if self._k < 2:
            return p
        reached = DRAWS - np.searchsorted(self._largest, norm.isf(p / 2))
        drawn = np.where(np.isnan(p), np.nan, (1 + reached) / (1 + DRAWS))
        corrected: Floats = np.clip(drawn, p, -np.expm1(self._k * np.log1p(-np.minimum(p, 1 - 1e-15))))
        return corrected

    def level(self, alpha: float) -> float:
        """The p of a single estimate whose corrected p is alpha."""
        if self._k < 2:
            return alpha
        least = -float(np.expm1(np.log1p(-alpha) / self._k))
        reached = round(alpha * (1 + DRAWS)) - 1
        if reached < FEW:
            return least
        return min(max(2 * float(norm.sf(self._largest[DRAWS - reached])), least), alpha)


def reach(error: Floats, df: Floats, level: float) -> Floats:
    """How far the intervals of estimates go to either side, where each misses at that level."""
    ends: Floats = t.isf(level / 2, np.maximum(df, 1)) * error
    return ends
