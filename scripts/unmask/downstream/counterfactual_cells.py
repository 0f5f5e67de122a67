"""Counterfactual items, which differ in gender alone, in cells of a template and an occupation."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from unmask.downstream.estimates import (
    TWO_SIDED,
    Estimate,
    Floats,
    Spread,
    correlation_with_share,
    spread_of,
)
from unmask.downstream.terms import BIAS, FEMALE, GAP, MALE
from unmask.errors import InputError
from unmask.statistics.dependence import Dependence

SEED = 0
"""Of the swaps: the same for all models and steps, so that these are compared on the same ones."""

TEMPLATE, OCCUPATION = "template", "occupation"


class CounterfactualCells:
    """A cell has the items of one template and occupation, of both genders.

    Rows of arrays are cells, in the order of templates and then of occupations.
    """

    def __init__(self, items: pd.DataFrame, draws: int) -> None:
        """items: as ITEMS. Raises InputError where an item of bias lacks template, occupation or gender, and
        where no cell has both genders."""
        self.places = np.flatnonzero(items["part"] == BIAS)
        items = items.iloc[self.places]
        for column in ("template", "occupation", "gender"):
            if items[column].isna().any():
                item = items.loc[items[column].isna(), "item"].iloc[0]
                raise InputError(f"items: item {item} of bias has no {column}")
        _, of_template = np.unique(items["template"].to_numpy(np.int64), return_inverse=True)
        occupations, of_occupation = np.unique(items["occupation"].to_numpy(str), return_inverse=True)
        cells, of_cell = np.unique(of_template * len(occupations) + of_occupation, return_inverse=True)
        is_female = (items["gender"] == FEMALE).to_numpy()
        women = np.bincount(of_cell, is_female, len(cells))
        men = np.bincount(of_cell, (items["gender"] == MALE).to_numpy(), len(cells))
        whole = (women > 0) & (men > 0)
        if not whole.any():
            raise InputError("items: no two items of bias differ in gender alone")
        self.remarks = (
            (
                f"{np.count_nonzero(~whole)} of {len(cells)} templates with an occupation are left out: they "
                "have one gender alone",
            )
            if not whole.all()
            else ()
        )
        self.items = int((women + men)[whole].sum())
        rows = np.cumsum(whole) - 1
        columns = np.flatnonzero(whole[of_cell])
        row, female = rows[of_cell[columns]], is_female[columns]
        shape = (int(whole.sum()), len(items))
        self._female = _averaging(row[female], columns[female], shape)
        self._male = _averaging(row[~female], columns[~female], shape)
        # numbered anew: what is left out has no template or occupation
        templates, self.template = np.unique(cells[whole] // len(occupations), return_inverse=True)
        numbers, self.occupation = np.unique(cells[whole] % len(occupations), return_inverse=True)
        self.templates = len(templates)
        self.names = [str(occupations[number]) for number in numbers]
        self.sizes = np.bincount(self.occupation)
        self.share = items.groupby(of_occupation)["female_share"].first().to_numpy(float)[numbers]
        self._draws = draws

    def __len__(self) -> int:
        return len(self.template)

    @property
    def units(self) -> int:
        """Of an interval of all cells: how many templates or occupations there are, whichever are fewer."""
        return min(self.templates, len(self.names))

    def of_genders(self, values: Floats) -> tuple[Floats, Floats]:
        """The means over each cell's items that are female and male; values: shape (items of bias, k)."""
        return self._female @ values, self._male @ values

    @cached_property
    def dependence(self) -> Dependence:
        """Cells that share a template or an occupation vary together."""
        return Dependence.of(
            ((TEMPLATE, template), (OCCUPATION, occupation))
            for template, occupation in zip(self.template.tolist(), self.occupation.tolist(), strict=True)
        )

    @cached_property
    def _swaps(self) -> Floats:
        """1 or -1 of each template in each draw, shape (draws, templates)."""
        rng = np.random.default_rng(SEED)
        swaps: Floats = rng.integers(0, 2, (self._draws, self.templates)) * 2.0 - 1
        return swaps

    def swapped_mean(self, difference: Floats) -> Floats:
        """The mean of differences of the genders when these are swapped at random, shape (draws, runs).

        difference: shape (cells, runs). The two sentences of a template that differ in gender are the same
        ones for all its occupations, so a template's cells are swapped together.
        """
        sums = np.stack([np.bincount(self.template, run, self.templates) for run in difference.T], axis=1)
        swapped: Floats = self._swaps @ sums / len(self)
        return swapped

    def by_occupation(self, values: Floats) -> Floats:
        """Means over the cells of each occupation, shape (occupations, runs)."""
        sums = [np.bincount(self.occupation, run, len(self.names)) for run in values.T]
        return np.stack(sums, axis=1) / self.sizes[:, None]

    def swapped_by_occupation(self, difference: Floats) -> Floats:
        """As swapped_mean for the mean of each occupation, shape (draws, occupations, runs)."""
        shape = (self.templates, len(self.names))
        sums = [
            self._swaps @ sparse.coo_array((run, (self.template, self.occupation)), shape=shape).toarray()
            for run in difference.T
        ]
        return np.stack(sums, axis=2) / self.sizes[:, None]

    def mean(self, metric: str, values: Floats, bounds: tuple[float, float]) -> Estimate:
        """The mean over all cells; values: shape (cells, runs)."""
        mean = values.mean(axis=0)
        spread = spread_of(values - mean, self.dependence)
        return Estimate(metric, None, mean, self.items, self.units, spread, bounds)

    def size_of_mean(self, metric: str, difference: Floats, bounds: tuple[float, float]) -> Estimate:
        """The absolute value of the mean difference of the genders; these are swapped at random for its null
        distribution. difference: shape (cells, runs)."""
        mean = difference.mean(axis=0)
        spread = spread_of(signs(mean) * (difference - mean), self.dependence)
        null = np.abs(self.swapped_mean(difference))
        return Estimate(metric, None, np.abs(mean), self.items, self.units, spread, bounds, null)

    def gaps(self, difference: Floats, null: Floats, bounds: tuple[float, float]) -> Iterator[Estimate]:
        """The mean difference of the genders in each occupation; null: as swapped_by_occupation."""
        means = self.by_occupation(difference)
        every = np.column_stack([difference, difference.mean(axis=1)])
        deviations = every - self.by_occupation(every)[self.occupation]
        squares = self.by_occupation(deviations**2)
        per_cell = self.items / len(self)
        for place, name in enumerate(self.names):
            cells = int(self.sizes[place])
            yield Estimate(
                GAP,
                name,
                means[place],
                round(per_cell * cells),
                cells,
                Spread(squares[place] / max(cells - 1, 1), cells - 1),
                bounds,
                null[:, place],
                TWO_SIDED,
            )

    def correlation(self, metric: str, difference: Floats, null: Floats) -> Iterator[Estimate]:
        """Pearson's r, over occupations, of the mean difference with the percentage of women
        (estimates.correlation_with_share); null: as swapped_by_occupation."""
        gaps = self.by_occupation(difference)
        yield from correlation_with_share(metric, gaps, self.share, null, self.items)


def _averaging(
    rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64], shape: tuple[int, int]
) -> "sparse.csr_array":
    """A matrix that takes the mean over the columns of each row."""
    counts = np.bincount(rows, minlength=shape[0])
    return sparse.csr_array((1 / counts[rows], (rows, columns)), shape=shape)


def signs(values: Floats) -> Floats:
    """1 where a value is 0 or more, else -1."""
    return np.where(values >= 0, 1.0, -1.0)
