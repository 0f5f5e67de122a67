"""Items of bias that differ in gender alone, by what repeats: their template and their occupation."""

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
    correlations,
    influence_of_correlation,
    spread_of,
)
from unmask.downstream.terms import BIAS, FEMALE, GAP, MALE
from unmask.errors import InputError
from unmask.statistics.dependence import Dependence

SEED = 0
"""Of the swaps: the same for all models and steps, so that these are compared on the same ones."""

TEMPLATE, OCCUPATION = "template", "occupation"


class Cells:
    """A cell has the items of one template and occupation, of both genders.

    Rows of arrays are cells, in the order of templates and then of occupations.
    """

    def __init__(self, items: pd.DataFrame, draws: int) -> None:
        """items: as ITEMS. Raises InputError where an item of bias lacks template, occupation or gender, and
        where no cell has both genders."""
        self.places = np.flatnonzero(items["part"] == BIAS)
        own = items.iloc[self.places]
        for column in ("template", "occupation", "gender"):
            if own[column].isna().any():
                item = own.loc[own[column].isna(), "item"].iloc[0]
                raise InputError(f"items: item {item} of bias has no {column}")
        _, of_template = np.unique(own["template"].to_numpy(np.int64), return_inverse=True)
        occupations, of_occupation = np.unique(own["occupation"].to_numpy(str), return_inverse=True)
        cells, of_cell = np.unique(of_template * len(occupations) + of_occupation, return_inverse=True)
        is_female = (own["gender"] == FEMALE).to_numpy()
        women = np.bincount(of_cell, is_female, len(cells))
        men = np.bincount(of_cell, (own["gender"] == MALE).to_numpy(), len(cells))
        kept = (women > 0) & (men > 0)
        if not kept.any():
            raise InputError("items: no two items of bias differ in gender alone")
        self.remarks = (
            (
                f"{np.count_nonzero(~kept)} of {len(cells)} templates with an occupation are left out: they "
                "have one gender alone",
            )
            if not kept.all()
            else ()
        )
        self.items = int((women + men)[kept].sum())
        rows = np.cumsum(kept) - 1
        among = np.flatnonzero(kept[of_cell])
        row, female = rows[of_cell[among]], is_female[among]
        shape = (int(kept.sum()), len(own))
        self._female = _averaging(row[female], among[female], shape)
        self._male = _averaging(row[~female], among[~female], shape)
        # numbered anew: what is left out has no template or occupation
        kept_templates, self.template = np.unique(cells[kept] // len(occupations), return_inverse=True)
        kept_names, self.occupation = np.unique(cells[kept] % len(occupations), return_inverse=True)
        self.templates = len(kept_templates)
        self.names = [str(occupations[place]) for place in kept_names]
        self.sizes = np.bincount(self.occupation)
        shares = own.groupby(of_occupation)["female_share"].first().to_numpy(float)
        self.share = shares[kept_names]
        self._draws = draws

    def __len__(self) -> int:
        return len(self.template)

    @property
    def units(self) -> int:
        """Of an interval of all cells: how many of what repeats there are, where there are fewer."""
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
        found = [
            self._swaps @ sparse.coo_array((run, (self.template, self.occupation)), shape=shape).toarray()
            for run in difference.T
        ]
        return np.stack(found, axis=2) / self.sizes[:, None]

    def spread(self, values: Floats) -> Spread:
        """Of the means over all cells; values: shape (cells, runs)."""
        return spread_of(values - values.mean(axis=0), self.dependence)

    def mean(
        self, metric: str, values: Floats, bounds: tuple[float, float], drawn: Floats | None = None
    ) -> Estimate:
        """The mean over all cells; values: shape (cells, runs)."""
        return Estimate(
            metric,
            None,
            values.mean(axis=0),
            self.items,
            self.units,
            self.spread(values),
            bounds,
            drawn,
        )

    def size_of_mean(
        self, metric: str, difference: Floats, bounds: tuple[float, float], drawn: Floats
    ) -> Estimate:
        """The absolute value of the mean difference of the genders; drawn: such means, swapped at random."""
        mean = difference.mean(axis=0)
        spread = spread_of(signs(mean) * (difference - mean), self.dependence)
        return Estimate(metric, None, np.abs(mean), self.items, self.units, spread, bounds, np.abs(drawn))

    def gaps(self, difference: Floats, drawn: Floats, bounds: tuple[float, float]) -> Iterator[Estimate]:
        """The mean difference of the genders in each occupation; drawn: as swapped_by_occupation."""
        means = self.by_occupation(difference)
        every = np.column_stack([difference, difference.mean(axis=1)])
        own = every - self.by_occupation(every)[self.occupation]
        squares = self.by_occupation(own**2)
        per_cell = self.items / len(self)
        for place, name in enumerate(self.names):
            many = int(self.sizes[place])
            spread = Spread(squares[place] / max(many - 1, 1), many - 1)
            yield Estimate(
                GAP,
                name,
                means[place],
                round(per_cell * many),
                many,
                spread,
                bounds,
                drawn[:, place],
                TWO_SIDED,
            )

    def correlation(self, metric: str, difference: Floats, drawn: Floats) -> Iterator[Estimate]:
        """Pearson's r, over occupations, of the mean difference with the percentage of women; none where that
        is known of fewer than three, or a side does not vary."""
        means = self.by_occupation(difference)
        known = np.isfinite(self.share)
        shares = self.share[known]
        if len(shares) < 3 or not np.ptp(shares) > 0 or not (np.ptp(means[known], axis=0) > 0).all():
            return
        yield Estimate(
            metric,
            None,
            correlations(means[known].T, shares),
            self.items,
            len(shares),
            spread_of(influence_of_correlation(means[known].T, shares), None),
            (-1.0, 1.0),
            correlations(drawn[:, known].swapaxes(1, 2), shares),
            TWO_SIDED,
            correlation=True,
        )


def _averaging(
    rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64], shape: tuple[int, int]
) -> "sparse.csr_array":
    """A matrix that takes the mean over the columns of each row."""
    counts = np.bincount(rows, minlength=shape[0])
    return sparse.csr_array((1 / counts[rows], (rows, columns)), shape=shape)


def signs(values: Floats) -> Floats:
    """1 where a value is 0 or more, else -1."""
    return np.where(values >= 0, 1.0, -1.0)
