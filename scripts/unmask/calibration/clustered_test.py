"""The test of a bias score that the report makes, for pairs that fall into units.

The interval of a score is that of unmask.statistics.bias.bias_table: the variance of
unmask.statistics.dependence, where two pairs of one unit share a node and no others do, and
unmask.statistics.intervals.clustered_interval. Such pairs need no matrix: with n pairs in units of m_u, the
variance follows from Q = Σ m_u² / n and C = Σ m_u³ / n. So thousands of simulated benchmarks are tested at
once.
"""

from dataclasses import dataclass

import numpy as np

from unmask.statistics.dependence import LEAST_DESIGN_EFFECT, Variance, smaller_effective_size
from unmask.statistics.intervals import Floats, Ints, clustered_interval
from unmask.statistics.tolerance import TOLERANCE

TIED = 0.5
"""What a pair adds to a score whose two sides tie, under the protocol `corrected`."""


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
        if sandwich_a <= TOLERANCE / n or spread <= 0:
            # one unit: one cluster
            return Variance(unknown, independent, float("nan"))
        df = sandwich_a**2 / spread
        if abs(df - 1) < TOLERANCE:
            # two units, and rounding
            df = 1.0
        determinant = plain_a * sandwich_b - plain_b * sandwich_a
        if abs(determinant) <= TOLERANCE * plain_a * abs(sandwich_b):
            # no two pairs are of one unit
            return Variance(independent, independent, df)
        a = (plain * sandwich_b - plain_b * sandwich) / determinant
        b = (plain_a * sandwich - sandwich_a * plain) / determinant
        return Variance(np.maximum((a + b * q) / n, LEAST_DESIGN_EFFECT * independent), independent, df)

    def effective_size(self, count: Floats, together: Floats, across: Floats) -> Floats:
        """Dependence.effective_size of k series of decisions. count: what all pairs give the score;
        together: Σ over units of the square of what the unit's pairs give it; across: of the same times the
        unit's size.
        """
        return smaller_effective_size(count, together, self.pairs, float(self.sizes @ self.sizes), across)


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
    credits: Floats, units: Units, variance: Variance, rarer: Floats, confidence: float
) -> tuple[Floats, Floats]:
    """Ends of the intervals, in percent, of k bias scores of pairs of these units.

    credits: shape (k,), the sum of what the pairs add to the score. variance: of their means. rarer: as
    Units.effective_size has it. nan where the degrees of freedom are unknown or below 1.
    """
    n = units.pairs
    largest = float(units.sizes @ units.sizes) / n
    return clustered_interval(credits / n, n, variance.effect(), largest, rarer, variance.df, confidence)


def score_interval(credit: Floats, codes: Ints, confidence: float) -> tuple[float, float, float]:
    """The bias score in percent of pairs of these units, and its interval.

    credit, codes: shape (pairs,). All nan where there is no pair, the interval where they are of one unit.
    """
    if not len(credit):
        return float("nan"), float("nan"), float("nan")
    if (credit == TIED).all():
        # nothing was decided, so nothing can vary
        return 100 * TIED, float("nan"), float("nan")
    variance, units = mean_variance(credit[:, None], codes), units_of(codes)
    sizes = np.bincount(codes)
    sums = np.bincount(codes, credit, minlength=len(sizes))
    count = credit.sum(keepdims=True)
    rarer = units.effective_size(count, np.array([sums @ sums]), np.array([sizes @ sums]))
    low, high = score_intervals(count, units, variance, rarer, confidence)
    return 100 * float(credit.mean()), float(low[0]), float(high[0])
