"""The items of a task in cells, which the two genders are compared in: an occupation, or a template with one.

Each cell has a difference between the genders, and a metric summarises these. A metric comes with its
influence, what every cell adds to it: intervals, changes against another model and seeds as a level follow.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from unmask.downstream.estimates import ANY, SHARE, SIGNED, Estimate, Floats, with_mean
from unmask.downstream.terms import BIAS, FEMALE, GAP, MALE, OCCUPATIONS, TEST
from unmask.errors import InputError
from unmask.statistics.sharing import ClusteredVariance, mean_basis

Ints = npt.NDArray[np.int64]

SEED = 0
"""Of the permutations: the same for all models and steps, so that these are compared on the same ones."""


@dataclass(frozen=True)
class Crossed:
    """K of cells: 1 where two share a template or an occupation and 0 elsewhere, without its n² of them.

    has: for templates and for occupations, which of them each cell has; no two cells have both alike.
    """

    has: tuple["sparse.csr_array", ...]

    @classmethod
    def of(cls, *numbers: Ints) -> "Crossed":
        rows = np.arange(len(numbers[0]))
        return cls(tuple(sparse.csr_array((np.ones(len(rows)), (rows, each))) for each in numbers))

    def __matmul__(self, values: Floats) -> Floats:
        """K values, of shape (n,) or (n, k)."""
        product: Floats = sum((has @ (has.T @ values) for has in self.has), -values)
        return product


class Cells:
    """The items of a task in cells; those with items of one gender alone are left out.

    items: as ITEMS. draws: permutations of the genders behind a null distribution. Raises InputError where an
    item of bias lacks template, occupation or gender, and where no cell has both genders.
    """

    def __init__(self, kind: str, items: pd.DataFrame, draws: int) -> None:
        self.draws, by = draws, ["occupation"] if kind == OCCUPATIONS else ["template", "occupation"]
        test = (items["part"] == TEST).to_numpy()
        known = items[["gender", *by]].notna().all(axis=1).to_numpy()
        compared = test if kind == OCCUPATIONS else (items["part"] == BIAS).to_numpy()
        if kind != OCCUPATIONS and (compared & ~known).any():
            item = items.loc[compared & ~known, "item"].iloc[0]
            raise InputError(f"items: item {item} of bias has no template, no occupation or no gender")
        self.test, self.label = np.flatnonzero(test), items.loc[test, "label"].to_numpy(float)
        self.rows, rows = np.flatnonzero(compared & known), items[compared & known]
        self.female = (rows["gender"] == FEMALE).to_numpy()
        counts = rows.groupby([*by, "gender"]).size().unstack(fill_value=0)
        counts = counts.reindex(columns=[FEMALE, MALE], fill_value=0)
        cells = counts[(counts > 0).all(axis=1)]
        if cells.empty:
            raise InputError(
                "items: no occupation has test people of both genders"
                if kind == OCCUPATIONS
                else "items: no two items of bias differ in gender alone"
            )
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
            sharing, n = Crossed.of(self.template, self.occupation), len(cells)
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

    def gaps(self, difference: Floats, null: Floats, bounds: tuple[float, float]) -> Estimate:
        """The mean difference of each occupation's cells. null: shape (draws, occupations, runs)."""
        every = pd.DataFrame(with_mean(difference)).groupby(self.occupation)
        return Estimate(
            GAP,
            self.occupation_means(difference),
            n=np.round(self.n / len(difference) * self.size).astype(int),
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


def accuracy(metric: str, right: npt.NDArray[np.bool_]) -> Estimate:
    """The share that is right; right: shape (items, runs). Two successes and two failures are added for the
    interval (Agresti & Coull 1998, The American Statistician 52:119)."""
    n, share = len(right), right.mean(axis=0)
    centre = (with_mean(share) * n + 2) / (n + 4)
    variance = centre * (1 - centre) / (n + 4)
    return Estimate(metric, share[None], n, n, variance[None], np.inf, SHARE, centre=centre[None])
