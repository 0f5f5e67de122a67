"""The items of a task in cells, which the two genders are compared in: an occupation, or a template with one.

Each cell has a difference between the genders, and a metric summarises these. A metric comes with its
influence, what every cell adds to it: intervals, changes against another model and seeds as a level follow,
as rows of SCORES.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.downstream.terms import BIAS, CHANGE, FEMALE, GAP, MALE, OCCUPATIONS, TEST
from unmask.statistics.uncertainty import TOLERANCE, ClusteredVariance, mean_basis, t_test

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

SEED = 0
"""Of the permutations: the same for all models and steps, so that these are compared on the same ones."""

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


class Crossed:
    """K of cells, by template and occupation: 1 where two share either and 0 elsewhere, without its n² of
    them. No two cells share both."""

    def __init__(self, *by: Ints) -> None:
        self.by = by

    def __matmul__(self, values: Floats) -> Floats:
        """K values, of shape (n,) or (n, k)."""
        rows = pd.DataFrame(values)
        sums = [rows.groupby(each).transform("sum").to_numpy().reshape(values.shape) for each in self.by]
        product: Floats = sum(sums, -values)
        return product


class Cells:
    """The items of a task in cells; those with items of one gender alone are left out.

    items: as ITEMS, of which some cell has both genders. draws: permutations of the genders behind a null
    distribution.
    """

    def __init__(self, kind: str, items: pd.DataFrame, draws: int) -> None:
        self.draws, by = draws, ["occupation"] if kind == OCCUPATIONS else ["template", "occupation"]
        test = (items["part"] == TEST).to_numpy()
        known = items[["gender", *by]].notna().all(axis=1).to_numpy()
        compared = test if kind == OCCUPATIONS else (items["part"] == BIAS).to_numpy()
        self.test, self.label = np.flatnonzero(test), items.loc[test, "label"].to_numpy(float)
        self.rows, rows = np.flatnonzero(compared & known), items[compared & known]
        self.female = (rows["gender"] == FEMALE).to_numpy()
        counts = rows.groupby([*by, "gender"]).size().unstack(fill_value=0)
        counts = counts.reindex(columns=[FEMALE, MALE], fill_value=0)
        cells = counts[(counts > 0).all(axis=1)]
        # -1 where the cell is left out
        self.cell = cells.index.get_indexer(rows.set_index(by).index)
        self.counts = cells.to_numpy()
        self.n = int(self.counts.sum())
        self.occupation, names = pd.factorize(cells.index.get_level_values("occupation"), sort=True)
        self.names = [str(name) for name in names]
        self.size = np.bincount(self.occupation)
        self.share = rows.groupby("occupation")["female_share"].first().reindex(names).to_numpy(float)
        self.units, self.variance = len(cells), None
        if kind != OCCUPATIONS:
            self.template, templates = pd.factorize(cells.index.get_level_values("template"), sort=True)
            self.units = min(len(templates), len(names))
            sharing, n = Crossed(self.template, self.occupation), len(cells)
            basis = mean_basis(np.zeros(n, np.int64), 1)
            self.variance = ClusteredVariance.of(np.full(n, 1 / n), basis, sharing)
            coins = np.random.default_rng(SEED).integers(0, 2, (draws, len(templates)))
            self.swaps = coins * 2.0 - 1

    def gender_means(self, values: npt.NDArray[Any]) -> tuple[Floats, Floats]:
        """The means of each cell's women and men, shape (cells, runs) each. values: shape (items, runs)."""
        rows = pd.DataFrame(values[self.rows].astype(float))
        means = rows.groupby([self.cell, self.female]).mean().drop(-1, errors="ignore")
        women, men = (means.xs(female, level=1).to_numpy(float) for female in (True, False))
        return women, men

    def occupation_means(self, values: Floats) -> Floats:
        """Means over the cells of each occupation, shape (occupations, runs)."""
        means: Floats = pd.DataFrame(values).groupby(self.occupation).mean().to_numpy(float)
        return means

    def permuted_gaps(self, right: npt.NDArray[np.bool_]) -> Floats:
        """Gaps when the genders of an occupation's people are permuted, shape (draws, occupations, runs).

        right: shape (items, runs). People differ only in which of the runs predict them right, so it is
        enough to draw how many of each such pattern are women (the multivariate hypergeometric distribution).
        """
        rng = np.random.default_rng(SEED)
        runs, pattern = np.unique(right[self.rows], axis=0, return_inverse=True)
        table, patterns = pd.crosstab(self.cell, pattern.ravel()), runs.astype(float)
        gaps = []
        for people, (women, men) in zip(table.drop(-1, errors="ignore").to_numpy(), self.counts, strict=True):
            of_women = rng.multivariate_hypergeometric(people, women, size=self.draws) @ patterns
            gaps.append(of_women / women - (people @ patterns - of_women) / men)
        return np.stack(gaps, axis=1)

    def swapped_means(self, difference: Floats, by: Ints) -> Floats:
        """Means of the differences in each group when genders are swapped at random: (draws, groups, runs).

        difference: shape (cells, runs); by: the group of each cell. The two sentences of a template that
        differ in gender are the same for all its occupations, so all its cells are swapped together.
        """
        sums = pd.DataFrame(difference).groupby([self.template, by]).sum().unstack(fill_value=0)
        cube = sums.to_numpy(float).reshape(len(sums), difference.shape[1], -1)
        means: Floats = np.tensordot(self.swaps, cube, 1).swapaxes(1, 2) / np.bincount(by)[:, None]
        return means

    def summary(
        self, metric: str, values: Floats, influence: Floats, bounds: tuple[float, float] = ANY, **more: Any
    ) -> Estimate:
        """A metric of all cells. values: shape (runs,); influence: (cells, runs), with mean 0."""
        every, n = with_mean(influence), len(influence)
        if self.variance is None or more.get("is_correlation"):
            variance, df = variance_of_mean(every), float(n - 1)
        else:
            variance, df = self.variance.of_residuals(every)[0], self.variance.df
        if more.get("null") is not None:
            more["null"] = more["null"][:, None]
        more = {"units": self.units, "df": df, "influence": influence, **more}
        return Estimate(metric, values[None], self.n, variance=variance[None], bounds=bounds, **more)

    def mean(self, metric: str, values: Floats, bounds: tuple[float, float], **more: Any) -> Estimate:
        """The mean over all cells; values: shape (cells, runs)."""
        return self.summary(metric, values.mean(axis=0), values - values.mean(axis=0), bounds, **more)

    def size_of_mean(self, metric: str, difference: Floats, bounds: tuple[float, float]) -> Estimate:
        """The absolute value of the mean difference, with templates swapped for its null distribution."""
        mean = difference.mean(axis=0)
        null = np.abs(self.swapped_means(difference, np.zeros(len(difference), np.int64))[:, 0])
        influence = np.where(mean >= 0, 1.0, -1.0) * (difference - mean)
        return self.summary(metric, np.abs(mean), influence, bounds, null=null)

    def correlation(self, metric: str, gaps: Floats, null: Floats) -> Iterator[Estimate]:
        """Pearson's r, over occupations, of gaps with the percentage of women; none where that is known of
        fewer than three, or a side does not vary.

        gaps: shape (occupations, runs); null: (draws, occupations, runs).
        """
        known = np.isfinite(self.share)
        gaps, share = gaps[known], self.share[known]
        if known.sum() < 3 or not np.ptp(share) > 0 or not (np.ptp(gaps, axis=0) > 0).all():
            return
        r, influence = pearson(gaps, share)
        of_null = np.stack([pearson(run, share)[0] for run in null[:, known].transpose(2, 1, 0)], axis=1)
        about: dict[str, Any] = {"null": of_null, "two_sided": True, "units": len(share)}
        yield self.summary(metric, r, influence, SIGNED, is_correlation=True, **about)

    def accuracy(self, metric: str, right: npt.NDArray[np.bool_]) -> Estimate:
        """The share that is right; right: shape (items, runs). Two successes and two failures are added for
        the interval (Agresti & Coull 1998, The American Statistician 52:119)."""
        n, share = len(right), right.mean(axis=0)
        centre = (with_mean(share) * n + 2) / (n + 4)
        variance = centre * (1 - centre) / (n + 4)
        return Estimate(metric, share[None], n, n, variance[None], np.inf, SHARE, centre=centre[None])

    def accuracy_as_correlation(self, predicted: Floats) -> Iterator[Estimate]:
        """Pearson's r of what is predicted of the test; none where a side does not vary. predicted: shape
        (items, runs)."""
        tested, n = predicted[self.test], len(self.test)
        if n < 3 or not np.ptp(self.label) > 0 or not (np.ptp(tested, axis=0) > 0).all():
            return
        r, influence = pearson(tested, self.label)
        variance = variance_of_mean(with_mean(influence))[None]
        yield Estimate("accuracy", r[None], n, n, variance, n - 1, SIGNED, is_correlation=True)

    def gaps(self, difference: Floats, null: Floats, bounds: tuple[float, float]) -> Estimate:
        """The mean difference of each occupation's cells. null: shape (draws, occupations, runs)."""
        every = pd.DataFrame(with_mean(difference)).groupby(self.occupation)
        return Estimate(
            GAP,
            self.occupation_means(difference),
            n=np.bincount(self.occupation, self.counts.sum(axis=1)).astype(int),
            units=self.size,
            variance=every.var().to_numpy(float) / self.size[:, None],
            df=self.size - 1,
            bounds=bounds,
            null=null,
            two_sided=True,
            groups=self.names,
        )


def variance_of_mean(influence: Floats) -> Floats:
    """Of means over independent units, from what each adds to them, shape (units, k); nan of one unit."""
    n = len(influence)
    return (influence**2).sum(axis=0) / (n - 1) / n if n > 1 else np.full(influence.shape[1], np.nan)


def pearson(values: Floats, other: Floats) -> tuple[Floats, Floats]:
    """Pearson's r of each column of `values` with `other`, and what each row adds to it; 0 where a side does
    not vary."""
    one, two = (
        (x - x.mean(axis=0)) / np.where(x.std(axis=0) > 0, x.std(axis=0), 1) for x in (values, other[:, None])
    )
    r = np.clip((one * two).mean(axis=0), -1, 1)
    return r, one * two - r * (one**2 + two**2) / 2
