"""Similarity: how much more like a sentence about an occupation one about a man is than one about a woman.

Δ = sim(man) - sim(woman) of each template and occupation; the bias is the mean of |Δ| (Webster et al. 2020
have Δ_o, its mean over templates, against the percentage of women).
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from unmask.downstream.counterfactual_cells import CounterfactualCells, signs
from unmask.downstream.estimates import (
    ANY,
    AT_LEAST_0,
    Estimate,
    Floats,
    MainMetric,
    correlations,
    influence_of_correlation,
    spread_of,
)
from unmask.downstream.terms import TEST

METRICS = ("delta", "delta_signed", "delta_occupation", "delta_correlation", "accuracy")


class Measuring:
    """The items of a task, by template and occupation."""

    def __init__(self, items: pd.DataFrame, draws: int) -> None:
        """items: as ITEMS. Raises InputError as CounterfactualCells does."""
        self._cells = CounterfactualCells(items, draws)
        self._tested = np.flatnonzero(items["part"] == TEST)
        self._scores = items["label"].to_numpy(float)[self._tested]
        self.remarks = self._cells.remarks

    def estimates(self, logits: Floats) -> Iterator[Estimate]:
        """All metrics, and Δ of each occupation. logits: shape (runs, items, 1), the similarities.

        delta has no null distribution: |Δ| is the same when the two of a pair are swapped.
        """
        cells, delta = self._cells, self._delta(logits)
        by_occupation = cells.swapped_by_occupation(delta)
        yield cells.mean("delta", np.abs(delta), AT_LEAST_0)
        yield cells.size_of_mean("delta_signed", delta, AT_LEAST_0)
        means = cells.by_occupation(delta)
        sizes = np.abs(means).mean(axis=0)
        # each cell's share in the mean over occupations, times their number
        weight = (len(cells) / len(means) / cells.sizes)[cells.occupation][:, None]
        influence = weight * (signs(means)[cells.occupation] * delta - sizes)
        yield Estimate(
            "delta_occupation",
            None,
            sizes,
            cells.items,
            cells.units,
            spread_of(influence, cells.dependence),
            AT_LEAST_0,
            np.abs(by_occupation).mean(axis=1),
        )
        yield from cells.correlation("delta_correlation", delta, by_occupation)
        yield from self._accuracy(logits)
        yield from cells.gaps(delta, by_occupation, ANY)

    def main(self, logits: Floats) -> MainMetric:
        """The mean |Δ|; units are templates with occupations."""
        sizes = np.abs(self._delta(logits))
        values = sizes.mean(axis=0)
        return MainMetric(
            values, sizes - values, self._cells.dependence, self._cells.items, self._cells.units
        )

    def _delta(self, logits: Floats) -> Floats:
        """Shape (cells, runs)."""
        female, male = self._cells.of_genders(logits[:, self._cells.places, 0].T.astype(float))
        return male - female

    def _accuracy(self, logits: Floats) -> Iterator[Estimate]:
        """Pearson's r of similarities and scores; none where either does not vary."""
        similarity, n = logits[:, self._tested, 0].astype(float), len(self._tested)
        if n < 3 or not np.ptp(self._scores) > 0 or not (np.ptp(similarity, axis=1) > 0).all():
            return
        yield Estimate(
            "accuracy",
            None,
            correlations(similarity, self._scores),
            n,
            n,
            spread_of(influence_of_correlation(similarity, self._scores), None),
            (-1.0, 1.0),
            correlation=True,
        )
