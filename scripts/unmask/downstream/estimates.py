"""From a metric with its variance and its null distribution to rows of SCORES."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.downstream.terms import CHANGE
from unmask.statistics.sharing import TOLERANCE, t_test

Floats = npt.NDArray[np.float64]

ALPHA = 0.05
"""A test whose smallest possible p is larger cannot reject, and has no p."""

SHARE, SIGNED, POSITIVE, ANY = (0.0, 1.0), (-1.0, 1.0), (0.0, np.inf), (-np.inf, np.inf)
"""Ranges of values; intervals are cut there."""


@dataclass(frozen=True)
class Estimate:
    """One metric of each run: of all cells, or of each group of them.

    values: shape (groups, runs). n, units: items, and units of the interval, one number or one a group.
    variance, df: of every run and, in the last column, of the mean of the runs as if these did not differ,
    shape (groups, runs + 1); df may be one number or one a group. bounds: the range of values.
    null: the metric with the genders permuted, shape (draws, groups, runs), the same permutation in each row;
    None without a null distribution. two_sided: small values are as unusual as large ones. centre: of the
    interval, where it is not the value. is_correlation: the interval is that of Fisher's z.
    influence: of a metric of all cells, what every cell adds to it, shape (cells, runs), with mean 0.
    """

    metric: str
    values: Floats
    n: Any
    units: Any
    variance: Floats
    df: Any
    bounds: tuple[float, float] = ANY
    null: Floats | None = None
    two_sided: bool = False
    centre: Floats | None = None
    is_correlation: bool = False
    influence: Floats = field(default_factory=lambda: np.empty((0, 0)))
    groups: Sequence[str | None] = (None,)

    def rows(self, seeds: Sequence[int], step: int, confidence: float) -> pd.DataFrame:
        """Rows of SCORES: one a group and run, and one a group of the mean over the runs.

        Runs and items are crossed, so the variance of the mean is the sum of both variances, with
        Satterthwaite's degrees of freedom. What both have a part in counts twice, which is conservative.
        """
        values, variance = with_mean(self.values), np.array(self.variance, float)
        df = np.broadcast_to(np.reshape(self.df, (-1, 1)), values.shape).astype(float)
        if len(seeds) > 1:
            within, between = variance[:, -1].copy(), self.values.var(axis=1, ddof=1) / len(seeds)
            variance[:, -1] += between
            with np.errstate(divide="ignore", invalid="ignore"):
                of_both = variance[:, -1] ** 2 / (between**2 / (len(seeds) - 1) + within**2 / df[:, -1])
            df[:, -1] = np.where((between > 0) & (df[:, -1] >= 1), of_both, df[:, -1])
        centre = values if self.centre is None else self.centre
        if self.is_correlation:
            with np.errstate(divide="ignore", invalid="ignore"):
                centre = np.where(np.abs(values) < 1, np.arctanh(values), np.nan)
                variance = variance / (1 - values**2) ** 2
        test = t_test(centre.ravel(), variance.ravel(), df.ravel(), confidence)
        ends = test[["low", "high"]].to_numpy(float)
        low, high = np.clip(np.tanh(ends) if self.is_correlation else ends, *self.bounds).T
        p = test["p"].to_numpy(float) if self.metric == CHANGE else np.full(len(test), np.nan)
        columns = {"value": values, "low": low, "high": high, "p": p}
        if self.null is not None:
            columns |= null_interval(values, with_mean(self.null), self.two_sided, confidence)
        keys = pd.MultiIndex.from_product([self.groups, [*seeds, None]], names=["group", "seed"])
        rows = pd.DataFrame({name: np.ravel(column) for name, column in columns.items()}, keys).reset_index()
        of_groups = (np.broadcast_to(of, len(values)) for of in (self.n, self.units))
        n, units = (np.repeat(of, values.shape[1]) for of in of_groups)
        return rows.assign(metric=self.metric, step=step, confidence=confidence, n=n, units=units)


def with_mean(values: Floats) -> Floats:
    """The values of the runs, in the last axis, and the mean over the runs behind them."""
    return np.concatenate([values, values.mean(axis=-1, keepdims=True)], axis=-1)


def null_interval(values: Floats, null: Floats, two_sided: bool, confidence: float) -> dict[str, Floats]:
    """The mean and the interval of a null distribution, and p, the share of it as unusual as each value.

    values: any shape; null: (draws, *shape). The value itself counts as one more draw. p is nan where not
    even the most unusual draw could have one below ALPHA.
    """
    low, high = np.quantile(null, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    size, sizes = (np.abs(values), np.abs(null)) if two_sided else (values, null)
    slack = TOLERANCE * np.maximum(1e-3, np.abs(size))  # equal but for rounding is equal
    least, p = (
        (1 + (sizes >= bound - slack).sum(axis=0)) / (1 + len(null))
        for bound in (np.maximum(sizes.max(axis=0), size), size)
    )
    return {
        "null_mean": null.mean(axis=0),
        "null_low": low,
        "null_high": high,
        "p": np.where(least > ALPHA, np.nan, p),
    }
