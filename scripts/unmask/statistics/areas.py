"""Areas under ROC curves: their variances and intervals, and those of differences between areas."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.stats import norm

from unmask.statistics.dependence import Dependence, blocks
from unmask.statistics.intervals import Floats
from unmask.statistics.student import student

FEW = 10
"""With fewer members of a class than this, no variance is estimated from them."""

CLUSTERED, NEWCOMBE = "clustered", "newcombe"
"""How an interval is made."""

Levels = npt.NDArray[np.int32]
"""Scores as far as areas depend on them: by their order."""


def levels(scores: Floats) -> Levels:
    """Which of the distinct values of its column each score is, from 0 for the least; -1 for nan."""
    levels = np.full(scores.shape, -1, dtype=np.int32)
    for column, values in enumerate(scores.T):
        known = ~np.isnan(values)
        levels[known, column] = np.unique(values[known], return_inverse=True)[1]
    return levels


@dataclass(frozen=True)
class Areas:
    """The areas under k ROC curves over the same pairs.

    placement: shape (pairs, k); of a positive pair the share of negatives below it, of a negative one the
    share of positives above it, equal ones as a half (DeLong, DeLong & Clarke-Pearson 1988, Biometrics
    44:837; by midranks as in Sun & Xu 2014, IEEE Signal Processing Letters 21:1389). The area is the mean
    over either class. positive: shape (pairs,). Both classes have members.
    """

    placement: Floats
    positive: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, scores: Floats, positive: npt.NDArray[np.bool_]) -> "Areas":
        """scores: shape (pairs, k), none of them nan."""
        return cls.of_levels(levels(scores), positive)

    @classmethod
    def of_levels(cls, levels: Levels, positive: npt.NDArray[np.bool_]) -> "Areas":
        """levels: shape (pairs, k), whole numbers from 0 in the order of the scores."""
        placement = np.empty(levels.shape)
        for column, of_curve in enumerate(levels.T):
            placement[:, column] = np.where(
                positive, _below(of_curve, ~positive), 1 - _below(of_curve, positive)
            )
        return cls(placement, positive)

    @property
    def classes(self) -> tuple[int, int]:
        """How many pairs are positive and negative."""
        return int(self.positive.sum()), int((~self.positive).sum())

    def areas(self) -> Floats:
        """P(positive > negative) + ½ P(equal), the Mann-Whitney statistic, shape (k,)."""
        means = (self.placement[:, some][self.positive].mean(axis=0) for some in self._blocks())
        return np.concatenate(list(means))

    def varies(self) -> npt.NDArray[np.bool_]:
        """Whether the variance of each area can be estimated, shape (k,).

        It takes classes of FEW members or more, which the scores neither separate nor leave equal.
        """
        enough = min(self.classes) >= FEW
        varies: npt.NDArray[np.bool_] = enough & (np.ptp(self.placement, axis=0) > 0)
        return varies

    def variances(self, dependence: Dependence) -> tuple[Floats, Floats, float]:
        """(DeLong's variances, clustered ones, degrees of freedom) of k areas, or differences of areas.

        The clustered variance is DeLong's times the design effect: what Dependence.variance makes of
        placements with pairs that share a node covarying, over what it makes of independent ones. nan where a
        class has one member, or where nothing can be said.
        """
        m, n = self.classes
        if min(m, n) < 2:
            unknown = np.full(self.placement.shape[1], np.nan)
            return unknown, unknown, float("nan")
        moments = dependence.moments(np.where(self.positive, 1 / m, 1 / n), self.positive.astype(np.int64))
        delong, effect = np.zeros(self.placement.shape[1]), np.ones(self.placement.shape[1])
        for some in self._blocks():
            residuals = self.placement[:, some].copy()
            for members in (self.positive, ~self.positive):
                residuals[members] -= residuals[members].mean(axis=0)
                delong[some] += (residuals[members] ** 2).sum(axis=0) / (members.sum() * (members.sum() - 1))
            variance = moments.variance(residuals)
            varied = variance.independent > 0
            np.divide(variance.clustered, variance.independent, out=effect[some], where=varied)
        return delong, delong * effect, variance.df

    def differences(self, couples: Sequence[tuple[int, int]]) -> "Areas":
        """The first curve of each couple less the second; their variances are those of paired areas."""
        differences = np.empty((len(self.positive), len(couples)), order="F")
        for place, (first, second) in enumerate(couples):
            differences[:, place] = self.placement[:, first] - self.placement[:, second]
        return Areas(differences, self.positive)

    def _blocks(self) -> Iterator[slice]:
        return blocks(*self.placement.shape)


def _below(levels: Levels, members: npt.NDArray[np.bool_]) -> Floats:
    """The share of the members that are below each of `levels`, equal ones as a half; shape (pairs,)."""
    counts = np.bincount(levels[members], minlength=int(levels.max()) + 1)
    below: Floats = (np.cumsum(counts) - counts / 2)[levels] / members.sum()
    return below


@dataclass(frozen=True)
class AreaInterval:
    """The interval of an area, and how it was made: CLUSTERED or NEWCOMBE.

    DeLong's stands beside a clustered one, and is nan else. All are within 0..1. p: two-sided, of an area of
    one half, by the same method; the interval leaves one half out where p is below 1 - confidence.
    """

    low: float
    high: float
    method: str
    delong_low: float
    delong_high: float
    p: float


def area_intervals(areas: Areas, dependence: Dependence, confidence: float) -> list[AreaInterval]:
    """An interval of each area.

    Where its variance can be estimated (Areas.varies): by the clustered variance with Student's t, and beside
    it DeLong's, of independent pairs with the normal distribution; both clipped to 0..1. Else Newcombe's,
    with the members of each class over its largest design effect: nothing else is known of how they vary
    together.
    """
    values, varies = areas.areas(), areas.varies()
    delong, clustered, df = areas.variances(dependence)
    by_t = student(values, clustered, np.full(len(values), df), confidence)
    p = student(values - 0.5, clustered, np.full(len(values), df), confidence).p
    reach = norm.ppf((1 + confidence) / 2) * np.sqrt(delong)
    m, n = (
        float(members.sum()) / dependence.among(np.flatnonzero(members)).largest_effect()
        for members in (areas.positive, ~areas.positive)
    )
    intervals = []
    for place, value in enumerate(values):
        if varies[place]:
            ends = (by_t.low[place], by_t.high[place]), (value - reach[place], value + reach[place])
            (low, high), (delong_low, delong_high) = (
                (float(np.maximum(0, a)), float(np.minimum(1, b))) for a, b in ends
            )
            intervals.append(AreaInterval(low, high, CLUSTERED, delong_low, delong_high, float(p[place])))
        else:
            low, high = newcombe(float(value), m, n, confidence)
            of_half = newcombe_p(float(value), m, n)
            intervals.append(AreaInterval(low, high, NEWCOMBE, float("nan"), float("nan"), of_half))
    return intervals


def _newcombe_variance(theta: float, m: float, n: float) -> float:
    """V(θ) of `newcombe`."""
    middle = (m + n) / 2 - 1
    spread = 1 + middle * (1 - theta) / (2 - theta) + middle * theta / (1 + theta)
    return theta * (1 - theta) / (m * n) * spread


def newcombe_p(area: float, positives: float, negatives: float) -> float:
    """The two-sided p of an area of one half by the same method: `newcombe` holds one half where it is above
    1 - confidence."""
    return float(2 * norm.sf(abs(area - 0.5) / math.sqrt(_newcombe_variance(0.5, positives, negatives))))


def newcombe(area: float, positives: float, negatives: float, confidence: float) -> tuple[float, float]:
    """The interval (low, high) of an area of independent pairs that stays true with few of them.

    Method 5 of Newcombe 2006 (Statistics in Medicine 25:559): all θ with |area - θ| ≤ z √V(θ), where

        V(θ) = θ (1 - θ) / (m n) · (1 + N (1 - θ) / (2 - θ) + N θ / (1 + θ)),   N = (m + n) / 2 - 1

    is the variance of Hanley & McNeil 1982 (Radiology 143:29) at θ, symmetrized. At perfect separation, and
    where all values are equal, it has a width all the same.
    """
    z = float(norm.ppf((1 + confidence) / 2))

    def least(target: float) -> float:
        """The lower end for an area of `target`."""
        if target <= 0:
            return 0.0

        def excess(theta: float) -> float:
            return (target - theta) ** 2 - z**2 * _newcombe_variance(theta, positives, negatives)

        # at 1 itself an area of 1 would be a second solution
        return float(brentq(excess, 0.0, min(target, 1 - 1e-12)))

    return least(area), 1 - least(1 - area)
