"""Occupations: how much more often a person's occupation is predicted where the person is a woman, or a man.

gap_o = TPR_f(o) - TPR_m(o), the share of an occupation's women who are predicted right less that of its men
(De-Arteaga et al. 2019); the bias is its mean absolute value over occupations (Zhao et al. 2020).
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.downstream.estimates import (
    SHARE,
    TWO_SIDED,
    Estimate,
    Floats,
    MainMetric,
    correlation_with_share,
    spread_of,
    spread_of_difference,
    spread_of_share,
)
from unmask.downstream.terms import FEMALE, GAP, MALE, TEST
from unmask.errors import InputError

METRICS = (
    "tpr_gap",
    "tpr_gap_rms",
    "tpr_gap_signed",
    "tpr_gap_correlation",
    "accuracy",
    "accuracy_female",
    "accuracy_male",
)

SEED = 0
"""Of the permutations: the same for all models and steps, so that these are compared on the same ones."""


class Measuring:
    """The test people of a task, by occupation and gender."""

    def __init__(self, items: pd.DataFrame, draws: int) -> None:
        """items: as ITEMS. Raises InputError where no occupation has people of both genders."""
        self._tested = np.flatnonzero(items["part"] == TEST)
        people = items.iloc[self._tested]
        self._label = people["label"].to_numpy(float)
        gender, named = people["gender"], people["occupation"]
        known = (gender.isin([FEMALE, MALE]) & named.notna()).to_numpy()
        names, of = np.unique(named[known].to_numpy(str), return_inverse=True)
        self._is_female = (gender[known] == FEMALE).to_numpy()
        women = np.bincount(of, self._is_female, len(names)).astype(int)
        men = np.bincount(of, ~self._is_female, len(names)).astype(int)
        both = (women > 0) & (men > 0)
        if not both.any():
            raise InputError("items: no occupation has test people of both genders")
        self.remarks = tuple(
            f"{name} is left out of the gaps: none of its {women[place] + men[place]} test people is {absent}"
            for place, name in enumerate(names)
            if not both[place]
            for absent in (FEMALE if not women[place] else MALE,)
        )
        self._known, self._of, self._both = np.flatnonzero(known), of, both
        self._names = [str(name) for name in names[both]]
        self._women, self._men = women[both], men[both]
        self._people = int(women[both].sum() + men[both].sum())
        shares = people[known].groupby(of)["female_share"].first()
        self._share = shares.to_numpy(float)[both]
        self._draws = draws

    def estimates(self, logits: Floats) -> Iterator[Estimate]:
        """All metrics, and the gap of each occupation. logits: shape (runs, items, labels)."""
        right = self._right(logits)
        women, men = self._rates(right)
        gaps, null = women - men, self._permuted_gaps(right)
        yield from self._overall(gaps, null)
        known = right[self._known]
        for name, of_people in (
            ("accuracy", right),
            ("accuracy_female", known[self._is_female]),
            ("accuracy_male", known[~self._is_female]),
        ):
            share, n = of_people.mean(axis=0), len(of_people)
            yield Estimate(name, None, share, n, n, spread_of_share(share, n), SHARE)
        for place, name in enumerate(self._names):
            n_women, n_men = int(self._women[place]), int(self._men[place])
            yield Estimate(
                GAP,
                name,
                gaps[place],
                n_women + n_men,
                n_women + n_men,
                spread_of_difference(women[place], n_women, men[place], n_men),
                (-1.0, 1.0),
                null[:, place],
                TWO_SIDED,
            )

    def main(self, logits: Floats) -> MainMetric:
        """The mean absolute gap; units are occupations."""
        women, men = self._rates(self._right(logits))
        sizes = np.abs(women - men)
        values = sizes.mean(axis=0)
        return MainMetric(values, sizes - values, None, self._people, len(sizes))

    def _overall(self, gaps: Floats, null: Floats) -> Iterator[Estimate]:
        """gaps: shape (occupations, runs); null: (draws, occupations, runs)."""
        sizes = np.abs(gaps)
        mean, signed = sizes.mean(axis=0), gaps.mean(axis=0)
        rms = np.sqrt((gaps**2).mean(axis=0))
        of_rms = np.divide(gaps**2 - rms**2, 2 * rms, out=np.zeros_like(gaps), where=rms > 0)
        n, units = self._people, len(gaps)
        null_mean, null_rms = np.abs(null).mean(axis=1), np.sqrt((null**2).mean(axis=1))
        yield Estimate("tpr_gap", None, mean, n, units, spread_of(sizes - mean, None), SHARE, null_mean)
        yield Estimate("tpr_gap_rms", None, rms, n, units, spread_of(of_rms, None), SHARE, null_rms)
        yield Estimate(
            "tpr_gap_signed",
            None,
            signed,
            n,
            units,
            spread_of(gaps - signed, None),
            (-1.0, 1.0),
            null.mean(axis=1),
            TWO_SIDED,
        )
        yield from correlation_with_share("tpr_gap_correlation", gaps, self._share, null, n)

    def _right(self, logits: Floats) -> npt.NDArray[np.bool_]:
        """Whether each test person's occupation is predicted right, shape (people, runs)."""
        predicted = logits[:, self._tested].argmax(axis=2).T
        right: npt.NDArray[np.bool_] = np.equal(predicted, self._label[:, None])
        return right

    def _rates(self, right: npt.NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """The share of each occupation's women, and of its men, who are predicted right, shape (occupations,
        runs) each."""
        women = self._count_right(right, self._is_female) / self._women[:, None]
        return women, self._count_right(right, ~self._is_female) / self._men[:, None]

    def _count_right(self, right: npt.NDArray[np.bool_], members: npt.NDArray[np.bool_]) -> Floats:
        """How many of the members of each occupation are, shape (occupations, runs)."""
        right = right[self._known] & members[:, None]
        counts = [np.bincount(self._of, run, len(self._both)) for run in right.T]
        of_both: Floats = np.stack(counts, axis=1)[self._both].astype(float)
        return of_both

    def _permuted_gaps(self, right: npt.NDArray[np.bool_]) -> Floats:
        """Gaps when the genders of an occupation's people are permuted, shape (draws, occupations, runs).

        People differ only in which of the runs predict them right, so it is enough to draw how many of each
        such pattern are women (the multivariate hypergeometric distribution).
        """
        rng = np.random.default_rng(SEED)
        patterns, of_pattern = np.unique(right[self._known], axis=0, return_inverse=True)
        table = np.zeros((len(self._both), len(patterns)), np.int64)
        np.add.at(table, (self._of, of_pattern.ravel()), 1)
        gaps = np.empty((self._draws, len(self._women), right.shape[1]))
        for place, counts in enumerate(table[self._both]):
            women = rng.multivariate_hypergeometric(counts, int(self._women[place]), size=self._draws)
            of_women = women @ patterns.astype(float)
            everyone = counts @ patterns.astype(float)
            gaps[:, place] = of_women / self._women[place] - (everyone - of_women) / self._men[place]
        return gaps
