"""Occupations: how much more often a person's occupation is told where the person is a woman, or a man.

gap_o = TPR_f(o) - TPR_m(o), the share of an occupation's women who are told right less that of its men
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
    Main,
    correlations,
    influence_of_correlation,
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
"""Of the dealings: the same for all models and steps, so that these are compared on the same ones."""


class Measuring:
    """The test people of a task, by occupation and gender."""

    def __init__(self, items: pd.DataFrame, draws: int) -> None:
        """items: as ITEMS. Raises InputError where no occupation has people of both genders."""
        self._tested = np.flatnonzero(items["part"] == TEST)
        people = items.iloc[self._tested]
        self._label = people["label"].to_numpy(float)
        gender, named = people["gender"], people["occupation"]
        told = (gender.isin([FEMALE, MALE]) & named.notna()).to_numpy()
        names, of = np.unique(named[told].to_numpy(str), return_inverse=True)
        self._is_female = (gender[told] == FEMALE).to_numpy()
        women = np.bincount(of, self._is_female, len(names)).astype(int)
        men = np.bincount(of, ~self._is_female, len(names)).astype(int)
        kept = (women > 0) & (men > 0)
        if not kept.any():
            raise InputError("items: no occupation has test people of both genders")
        self.remarks = tuple(
            f"{name} is left out of the gaps: none of its {women[place] + men[place]} test people is {absent}"
            for place, name in enumerate(names)
            if not kept[place]
            for absent in (FEMALE if not women[place] else MALE,)
        )
        self._told, self._of, self._kept = np.flatnonzero(told), of, kept
        self._names = [str(name) for name in names[kept]]
        self._women, self._men = women[kept], men[kept]
        shares = people[told].groupby(of)["female_share"].first()
        self._share = shares.to_numpy(float)[kept]
        self._draws = draws

    def estimates(self, logits: Floats) -> Iterator[Estimate]:
        """All metrics, and the gap of each occupation. logits: shape (runs, items, labels)."""
        right = self._right(logits)
        of_women, of_men = self._told_right(right, self._is_female), self._told_right(right, ~self._is_female)
        rates = of_women / self._women[:, None], of_men / self._men[:, None]
        gaps = rates[0] - rates[1]
        drawn = self._dealt(right)
        yield from self._of_all(gaps, drawn)
        everyone = right.mean(axis=0)
        yield Estimate(
            "accuracy", None, everyone, len(right), len(right), spread_of_share(everyone, len(right)), SHARE
        )
        told = right[self._told]
        for name, members in (("accuracy_female", self._is_female), ("accuracy_male", ~self._is_female)):
            many = int(members.sum())
            share = told[members].mean(axis=0)
            yield Estimate(name, None, share, many, many, spread_of_share(share, many), SHARE)
        for place, name in enumerate(self._names):
            women, men = int(self._women[place]), int(self._men[place])
            spread = spread_of_difference(rates[0][place], women, rates[1][place], men)
            yield Estimate(
                GAP,
                name,
                gaps[place],
                women + men,
                women + men,
                spread,
                (-1.0, 1.0),
                drawn[:, place],
                TWO_SIDED,
            )

    def main(self, logits: Floats) -> Main:
        """The mean absolute gap; units are occupations."""
        right = self._right(logits)
        gaps = (
            self._told_right(right, self._is_female) / self._women[:, None]
            - self._told_right(right, ~self._is_female) / self._men[:, None]
        )
        sizes = np.abs(gaps)
        values = sizes.mean(axis=0)
        return Main(values, sizes - values, None, self._people(), len(sizes))

    def _of_all(self, gaps: Floats, drawn: Floats) -> Iterator[Estimate]:
        """gaps: shape (occupations, runs); drawn: (draws, occupations, runs)."""
        n, units = self._people(), len(gaps)
        sizes = np.abs(gaps)
        mean = sizes.mean(axis=0)
        yield Estimate(
            "tpr_gap",
            None,
            mean,
            n,
            units,
            spread_of(sizes - mean, None),
            SHARE,
            np.abs(drawn).mean(axis=1),
        )
        rms = np.sqrt((gaps**2).mean(axis=0))
        influence = np.divide(gaps**2 - rms**2, 2 * rms, out=np.zeros_like(gaps), where=rms > 0)
        yield Estimate(
            "tpr_gap_rms",
            None,
            rms,
            n,
            units,
            spread_of(influence, None),
            SHARE,
            np.sqrt((drawn**2).mean(axis=1)),
        )
        signed = gaps.mean(axis=0)
        yield Estimate(
            "tpr_gap_signed",
            None,
            signed,
            n,
            units,
            spread_of(gaps - signed, None),
            (-1.0, 1.0),
            drawn.mean(axis=1),
            TWO_SIDED,
        )
        known = np.isfinite(self._share)
        shares = self._share[known]
        if len(shares) > 2 and np.ptp(shares) > 0 and (np.ptp(gaps[known], axis=0) > 0).all():
            yield Estimate(
                "tpr_gap_correlation",
                None,
                correlations(gaps[known].T, shares),
                n,
                len(shares),
                spread_of(influence_of_correlation(gaps[known].T, shares), None),
                (-1.0, 1.0),
                correlations(drawn[:, known].swapaxes(1, 2), shares),
                TWO_SIDED,
                correlation=True,
            )

    def _people(self) -> int:
        return int(self._women.sum() + self._men.sum())

    def _right(self, logits: Floats) -> npt.NDArray[np.bool_]:
        """Whether each test person's occupation is told right, shape (people, runs)."""
        told = logits[:, self._tested].argmax(axis=2).T
        found: npt.NDArray[np.bool_] = np.equal(told, self._label[:, None])
        return found

    def _told_right(self, right: npt.NDArray[np.bool_], members: npt.NDArray[np.bool_]) -> Floats:
        """How many of the members of each occupation are, shape (occupations, runs)."""
        own = right[self._told] & members[:, None]
        counts = [np.bincount(self._of, column, len(self._kept)) for column in own.T]
        found: Floats = np.stack(counts, axis=1)[self._kept].astype(float)
        return found

    def _dealt(self, right: npt.NDArray[np.bool_]) -> Floats:
        """Gaps when the genders of an occupation's people are dealt anew, shape (draws, occupations, runs).

        People differ only in which of the runs tell them right, so it is enough to draw how many of each such
        pattern are women (the multivariate hypergeometric distribution).
        """
        rng = np.random.default_rng(SEED)
        told = right[self._told]
        patterns, of_pattern = np.unique(told, axis=0, return_inverse=True)
        of_pattern = of_pattern.ravel()
        table = np.zeros((len(self._kept), len(patterns)), np.int64)
        np.add.at(table, (self._of, of_pattern), 1)
        gaps = np.empty((self._draws, len(self._women), right.shape[1]))
        for place, counts in enumerate(table[self._kept]):
            women = rng.multivariate_hypergeometric(counts, int(self._women[place]), size=self._draws)
            rights = women @ patterns.astype(float)
            every = counts @ patterns.astype(float)
            gaps[:, place] = rights / self._women[place] - (every - rights) / self._men[place]
        return gaps
