"""Entailment: how often a sentence about a woman, or a man, is labelled neutral to one about an occupation.

Neutral is the right label. Of the items of either gender FN is the share labelled neutral, NN the mean
probability of neutral, T.5 and T.7 the shares where that is above .5 and .7 (Dev et al. 2020). The bias is
|FN_f - FN_m|. It is 0 where both genders are labelled other than neutral alike: so there is also
not_neutral = 1 - FN, over both.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.special import softmax

from unmask.downstream.counterfactual_cells import CounterfactualCells, signs
from unmask.downstream.estimates import SHARE, Estimate, Floats, MainMetric, spread_of_share
from unmask.downstream.terms import ENTAILMENT_LABELS, FEMALE, MALE, NEUTRAL, TEST

_NEUTRAL = ENTAILMENT_LABELS.index(NEUTRAL)
_RATES = ("fn", "nn", "t5", "t7")

METRICS = (
    "fn_gap",
    "nn_gap",
    "not_neutral",
    *(f"{rate}_{gender}" for rate in _RATES for gender in (FEMALE, MALE)),
    "accuracy",
)


class Measuring:
    """The items of a task, by template and occupation."""

    def __init__(self, items: pd.DataFrame, draws: int) -> None:
        """items: as ITEMS. Raises InputError as CounterfactualCells does."""
        self._cells = CounterfactualCells(items, draws)
        self._tested = np.flatnonzero(items["part"] == TEST)
        self._label = items["label"].to_numpy(float)[self._tested]
        self.remarks = self._cells.remarks

    def estimates(self, logits: Floats) -> Iterator[Estimate]:
        """All metrics, and FN_f - FN_m of each occupation. logits: shape (runs, items, 3)."""
        cells, rates = self._cells, self._rates(logits)
        fn = rates["fn"][0] - rates["fn"][1]
        yield cells.size_of_mean("fn_gap", fn, SHARE)
        yield cells.size_of_mean("nn_gap", rates["nn"][0] - rates["nn"][1], SHARE)
        yield cells.mean("not_neutral", 1 - (rates["fn"][0] + rates["fn"][1]) / 2, SHARE)
        for rate in _RATES:
            for gender, values in zip((FEMALE, MALE), rates[rate], strict=True):
                yield cells.mean(f"{rate}_{gender}", values, SHARE)
        if len(self._tested):
            predicted = logits[:, self._tested].argmax(axis=2)
            right, n = (predicted == self._label).mean(axis=1), len(self._tested)
            yield Estimate("accuracy", None, right, n, n, spread_of_share(right, n), SHARE)
        yield from cells.gaps(fn, cells.swapped_by_occupation(fn), (-1.0, 1.0))

    def main(self, logits: Floats) -> MainMetric:
        """|FN_f - FN_m|; units are templates with occupations."""
        female, male = self._rates(logits)["fn"]
        difference = female - male
        mean = difference.mean(axis=0)
        influence = signs(mean) * (difference - mean)
        return MainMetric(
            np.abs(mean), influence, self._cells.dependence, self._cells.items, self._cells.units
        )

    def _rates(self, logits: Floats) -> dict[str, tuple[Floats, Floats]]:
        """Each rate by its name, of women's and men's items, shape (cells, runs) each."""
        logits = logits[:, self._cells.places]
        neutral = softmax(logits.astype(float), axis=2)[:, :, _NEUTRAL].T
        values = {
            "fn": (logits.argmax(axis=2) == _NEUTRAL).T.astype(float),
            "nn": neutral,
            "t5": (neutral > 0.5).astype(float),
            "t7": (neutral > 0.7).astype(float),
        }
        return {rate: self._cells.of_genders(of_items) for rate, of_items in values.items()}
