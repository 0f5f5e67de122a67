"""Estimates with their intervals and null distributions, over the runs of one model on one task."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import t as student_t

from unmask.statistics.dependence import Dependence
from unmask.statistics.student import LEAST_ERROR
from unmask.statistics.tolerance import at_least

Floats = npt.NDArray[np.floating[Any]]

ALPHA = 0.05
"""A test whose smallest possible p is larger cannot reject, and has no p."""

GREATER, TWO_SIDED = "greater", "two-sided"

SHARE, AT_LEAST_0, ANY = (0.0, 1.0), (0.0, np.inf), (-np.inf, np.inf)
"""What values can be: their intervals are cut there."""


@dataclass(frozen=True)
class Spread:
    """How well estimates are known, of each run and, last, of their mean, as if runs did not differ.

    variance: shape (runs + 1,). df: degrees of freedom of the variance. centre: where the intervals have
    their middle, shape (runs + 1,); None for the estimates themselves.
    """

    variance: Floats
    df: float
    centre: Floats | None = None


@dataclass(frozen=True)
class Estimate:
    """One metric, of all or of one occupation.

    values: of each run. n: items. units: those of the interval. null: the metric with the genders permuted,
    shape (draws, runs), the same permutation in each row; None where there is no null distribution.
    tail: whether only large values are unusual, or small ones as well, of a number that can have either sign.
    correlation: whether it is one; its interval is then that of Fisher's z.
    """

    metric: str
    group: str | None
    values: Floats
    n: int
    units: int
    spread: Spread | None = None
    bounds: tuple[float, float] = ANY
    null: Floats | None = None
    tail: str = GREATER
    correlation: bool = False

    def rows(
        self, seeds: Sequence[int], step: int, confidence: float, tested: bool = False
    ) -> Iterable[dict[str, object]]:
        """Rows of SCORES: one a run, and one of their mean.

        tested: p is that of Student's t, of a value of 0, instead of that of the permutations.
        """
        for place, seed in enumerate([*seeds, None]):
            mean = seed is None
            value = float(self.values.mean() if mean else self.values[place])
            low, high, p = self._interval(place, value, confidence)
            row: dict[str, object] = {
                "seed": seed,
                "step": step,
                "metric": self.metric,
                "group": self.group,
                "value": value,
                "low": low,
                "high": high,
                "n": self.n,
                "units": self.units,
                "confidence": confidence,
            }
            if tested:
                row["p"] = p
            if self.null is not None:
                null = self.null.mean(axis=1) if mean else self.null[:, place]
                row |= null_band(value, null, self.tail, confidence)
            yield row

    def _interval(
        self, place: int, value: float, confidence: float
    ) -> tuple[float | None, float | None, float | None]:
        """low, high, and p of a value of 0; None where nothing is known of how the value varies."""
        if self.spread is None:
            return None, None, None
        runs = len(self.values)
        variance, df = float(self.spread.variance[place]), self.spread.df
        centre = value if self.spread.centre is None else float(self.spread.centre[place])
        if place == runs and runs > 1:
            variance, df = with_runs(variance, df, self.values)
        if not np.isfinite(variance) or not at_least(df, 1) or variance <= (LEAST_ERROR * abs(value)) ** 2:
            return None, None, None
        if self.correlation:
            if abs(value) >= 1:
                return None, None, None
            centre, variance = np.arctanh(value), variance / (1 - value**2) ** 2
        error = np.sqrt(variance)
        reach = float(student_t.ppf((1 + confidence) / 2, df)) * error
        p = float(2 * student_t.sf(abs(centre) / error, df))
        low, high = centre - reach, centre + reach
        if self.correlation:
            low, high = np.tanh(low), np.tanh(high)
        least, most = self.bounds
        return float(max(low, least)), float(min(high, most)), p


def with_runs(variance: float, df: float, values: Floats) -> tuple[float, float]:
    """The variance of a mean over runs where these differ as well, and its degrees of freedom.

    variance, df: as if the runs were all there are. Runs and items are crossed: the variances of both add up
    (what both have a part in counts twice, which errs to the safe side), with Satterthwaite's df.
    """
    runs = len(values)
    between = float(np.var(values, ddof=1)) / runs
    total = variance + between
    if not between > 0 or not np.isfinite(total) or not at_least(df, 1):
        return total, df
    return total, float(total**2 / (variance**2 / df + between**2 / (runs - 1)))


def null_band(value: float, null: Floats, tail: str, confidence: float) -> dict[str, object]:
    """The mean and the band of a null distribution, and p, how often it is as unusual as `value`.

    The value itself counts as one more permutation. p is None where not even the most unusual permutation
    could be below ALPHA.
    """
    low, high = np.quantile(null, [(1 - confidence) / 2, (1 + confidence) / 2])
    size, sizes = (abs(value), np.abs(null)) if tail == TWO_SIDED else (value, null)
    # equal but for rounding is equal
    slack = 1e-9 * max(1e-3, abs(size))
    most = max(float(sizes.max()), size)
    least = (1 + np.count_nonzero(sizes >= most - slack)) / (1 + len(null))
    p = (1 + np.count_nonzero(sizes >= size - slack)) / (1 + len(null))
    return {
        "null_mean": float(null.mean()),
        "null_low": float(low),
        "null_high": float(high),
        "p": None if least > ALPHA else float(p),
    }


@dataclass(frozen=True)
class MainMetric:
    """The main metric of each run, with what each unit adds to it.

    values: shape (runs,). influence: shape (units, runs), with mean 0: if a unit were left out, the value
    would change by about minus its influence over the number of units. dependence: which units vary together;
    None where they do not. n: items. units: those of the interval.
    """

    values: Floats
    influence: Floats
    dependence: Dependence | None
    n: int
    units: int


def spread_of(influence: Floats, dependence: Dependence | None) -> Spread:
    """Of estimates that are means over units, from what each unit adds, shape (units, runs), with mean 0.

    dependence: which units vary together (Dependence.variance); None where they do not.
    """
    every = np.column_stack([influence, influence.mean(axis=1)]).astype(float)
    n = len(every)
    if dependence is not None:
        variance = dependence.variance(every, np.full(n, 1 / n), np.zeros(n, np.int64))
        return Spread(variance.clustered, variance.df)
    if n < 2:
        return Spread(np.full(every.shape[1], np.nan), 0)
    return Spread((every**2).sum(axis=0) / (n - 1) / n, n - 1)


def spread_of_share(share: Floats, n: int) -> Spread:
    """Of shares of n items that do not vary together; shape (runs,).

    Agresti & Coull (1998, The American Statistician 52:119): two successes and two failures are added.
    """
    every = np.append(share, share.mean())
    centre = (every * n + 2) / (n + 4)
    return Spread(centre * (1 - centre) / (n + 4), np.inf, centre)


def spread_of_difference(share: Floats, n: int, other: Floats, n_other: int) -> Spread:
    """Of a share of n items less that of n_other items; shape (runs,).

    Agresti & Caffo (2000, The American Statistician 54:280): a success and a failure are added to both.
    """
    centres, variances = [], []
    for shares, items in ((share, n), (other, n_other)):
        every = np.append(shares, shares.mean())
        centre = (every * items + 1) / (items + 2)
        centres.append(centre)
        variances.append(centre * (1 - centre) / (items + 2))
    return Spread(variances[0] + variances[1], np.inf, centres[0] - centres[1])


def correlations(values: Floats, other: Floats) -> Floats:
    """Pearson's r of each row of `values` (shape (k, n)) with `other` (n); 0 where a side does not vary."""
    values = values - values.mean(axis=-1, keepdims=True)
    other = other - other.mean()
    size = np.sqrt((values**2).sum(axis=-1) * (other**2).sum())
    product = values @ other
    r: Floats = np.divide(product, size, out=np.zeros_like(product), where=size > 1e-12)
    return np.clip(r, -1.0, 1.0)


def influence_of_correlation(values: Floats, other: Floats) -> Floats:
    """What each unit adds to Pearson's r, shape (n, k), for values of shape (k, n)."""
    r = correlations(values, other)
    values = values - values.mean(axis=1, keepdims=True)
    other = other - other.mean()
    scale = values.std(axis=1, keepdims=True)
    values = np.divide(values, scale, out=np.zeros_like(values), where=scale > 0)
    other = other / (other.std() or 1.0)
    influence: Floats = (values * other - r[:, None] * (values**2 + other**2) / 2).T
    return influence


def correlation_with_share(
    metric: str, gaps: Floats, female_share: Floats, null: Floats, n: int
) -> Iterator[Estimate]:
    """Pearson's r, over occupations, of gaps of the genders with the percentage of women; none where that is
    known of fewer than three, or a side does not vary.

    gaps: shape (occupations, runs); female_share: (occupations,), NaN where it is not known; null: gaps with
    the genders permuted, (draws, occupations, runs); n: items.
    """
    known = np.isfinite(female_share)
    shares, gaps = female_share[known], gaps[known]
    if len(shares) < 3 or not np.ptp(shares) > 0 or not (np.ptp(gaps, axis=0) > 0).all():
        return
    yield Estimate(
        metric,
        None,
        correlations(gaps.T, shares),
        n,
        len(shares),
        spread_of(influence_of_correlation(gaps.T, shares), None),
        (-1.0, 1.0),
        correlations(null[:, known].swapaxes(1, 2), shares),
        TWO_SIDED,
        correlation=True,
    )
