"""The test of a bias score that the report makes, for pairs that fall into units.

The interval of a score is that of unmask.statistics.bias.bias_table: the variance of
unmask.statistics.dependence, where two pairs of one unit share a node and no others do, and Wilson's
interval with the effective number of pairs. Such pairs need no matrix: with n pairs in units of m_u,
everything follows from Q = Σ m_u² / n and C = Σ m_u³ / n. So thousands of simulated benchmarks are tested at
once.
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student
from statsmodels.stats.proportion import proportion_confint

from unmask.statistics.dependence import LEAST_DESIGN_EFFECT, Variance
from unmask.statistics.intervals import Floats, Ints


@dataclass(frozen=True)
class Units:
    """How many pairs each unit has; shape (units,), none of them 0."""

    sizes: Ints

    @property
    def pairs(self) -> int:
        return int(self.sizes.sum())

    def variance(self, within: Floats, squares: Floats) -> Variance:
        """The variance of k means over all pairs, as Dependence.moments has it for weights of 1/n.

        within: Σ over units of the square of the sum of their residuals. squares: Σ of the squared residuals.
        Shapes (k,). A residual is what a pair has less the mean over all pairs.
        """
        n = self.pairs
        sizes = self.sizes.astype(np.float64)
        q, c = float((sizes**2).sum()) / n, float((sizes**3).sum()) / n
        plain, sandwich = squares / n**2, within / n**2
        plain_a, plain_b = (n - 1) / n**2, (n - q) / n**2
        sandwich_a, sandwich_b = (n - q) / n**2, (q - 2 * c / n + q**2 / n) / n
        spread = (q - 2 * c / n + q**2 / n) / n**3
        unknown = np.full(np.shape(squares), np.nan)
        independent = plain * (1 / n / plain_a) if plain_a > 0 else unknown
        if sandwich_a <= 1e-9 / n or spread <= 0:
            # one unit: one witness
            return Variance(unknown, independent, float("nan"))
        df = sandwich_a**2 / spread
        if abs(df - 1) < 1e-9:
            # two units, and rounding
            df = 1.0
        determinant = plain_a * sandwich_b - plain_b * sandwich_a
        if abs(determinant) <= 1e-9 * plain_a * abs(sandwich_b):
            # no two pairs are of one unit
            return Variance(independent, independent, df)
        a = (plain * sandwich_b - plain_b * sandwich) / determinant
        b = (plain_a * sandwich - sandwich_a * plain) / determinant
        return Variance(np.maximum((a + b * q) / n, LEAST_DESIGN_EFFECT * independent), independent, df)


def units_of(codes: Ints) -> Units:
    """The units of pairs, each given by the number of its unit."""
    sizes = np.bincount(codes)
    return Units(sizes[sizes > 0])


def mean_variance(values: Floats, codes: Ints) -> Variance:
    """The variance of the mean of `values`, shape (pairs, k), of pairs of these units."""
    residuals = values - values.mean(axis=0)
    sums = np.zeros((int(codes.max()) + 1, values.shape[1]))
    np.add.at(sums, codes, residuals)
    return units_of(codes).variance((sums**2).sum(axis=0), (residuals**2).sum(axis=0))


def score_intervals(
    credits: Floats, pairs: int, variance: Variance, confidence: float
) -> tuple[Floats, Floats]:
    """Ends of the intervals, in percent, of k bias scores of so many pairs each.

    credits: shape (k,), the sum of what the pairs add to the score. variance: of their means. nan where the
    degrees of freedom are unknown or below 1.
    """
    unknown = np.full(np.shape(credits), np.nan)
    if not variance.df >= 1:
        return unknown, unknown
    # decisions that are all alike tell nothing of how they vary together
    varies = variance.independent > 0
    effect = np.divide(
        variance.clustered, variance.independent, out=np.ones_like(variance.independent), where=varies
    )
    tail = (1 + confidence) / 2
    effective = pairs / effect * float(norm.ppf(tail) / student.ppf(tail, variance.df)) ** 2
    low, high = proportion_confint(
        credits / pairs * effective, effective, alpha=1 - confidence, method="wilson"
    )
    return 100 * np.maximum(low, 0.0), 100 * np.minimum(high, 1.0)


def score_interval(credit: Floats, codes: Ints, confidence: float) -> tuple[float, float, float]:
    """The bias score in percent of pairs of these units, and its interval.

    credit, codes: shape (pairs,). All nan where there is no pair, the interval where they are of one unit.
    """
    if not len(credit):
        return float("nan"), float("nan"), float("nan")
    variance = mean_variance(credit[:, None], codes)
    low, high = score_intervals(credit.sum(keepdims=True), len(credit), variance, confidence)
    return 100 * float(credit.mean()), float(low[0]), float(high[0])
