"""What measures decide of the pairs of a benchmark, and the groups of pairs that scores are over."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.errors import InputError
from unmask.statistics.intervals import Floats, Ints
from unmask.statistics.schema import BIAS_TYPE, DIRECTION, OVERALL
from unmask.terms import DIRECTIONS, OUTCOMES, PUBLISHED, STEREOTYPE, TIE, UNDEFINED


@dataclass(frozen=True)
class Decisions:
    """The decisions of every measure and protocol, in arrays of shape (pairs, series).

    series: (measure, protocol) of each column. outcome: one of OUTCOMES. margin: nan where undefined.
    """

    series: list[tuple[str, str]]
    outcome: npt.NDArray[np.object_]
    margin: Floats

    def credit(self, outcome: npt.NDArray[np.object_] | None = None) -> Floats:
        """What each pair adds to the numerator of the score: 1 for the stereotype; a tie adds a half in
        `corrected` and nothing in `published`. `outcome`: others of the same shape in place of these."""
        tie = np.array([0.0 if protocol == PUBLISHED else 0.5 for _, protocol in self.series])
        outcome = self.outcome if outcome is None else outcome
        credit: Floats = (outcome == STEREOTYPE) + (outcome == TIE) * tie
        return credit

    def trials(self) -> Floats:
        """What each pair adds to the denominator: 1, but nothing for an undefined pair in `corrected`, and
        nothing in either protocol where the measure is undefined for every pair."""
        fixed = np.array([protocol == PUBLISHED for _, protocol in self.series], dtype=bool)
        # a measure that says nothing of any pair, such as AULA without attention, has no score
        fixed &= (self.outcome != UNDEFINED).any(axis=0)
        trials: Floats = ((self.outcome != UNDEFINED) | fixed).astype(np.float64)
        return trials

    def differing(self) -> npt.NDArray[np.bool_]:
        """Where the outcome is not that of the same measure's other protocol; shape (pairs, series)."""
        place = {key: column for column, key in enumerate(self.series)}
        other = [
            next((place[s] for s in self.series if s[0] == measure and s[1] != protocol), own)
            for own, (measure, protocol) in enumerate(self.series)
        ]
        differing: npt.NDArray[np.bool_] = self.outcome != self.outcome[:, other]
        return differing


def decisions(pairs: pd.DataFrame, scores: pd.DataFrame) -> Decisions:
    """The decisions in `scores` (SCORES), in the order of `pairs` (PAIRS).

    Raises InputError where the scores are not of exactly these pairs.
    """
    keys = list(scores[["measure", "protocol"]].drop_duplicates().itertuples(index=False, name=None))
    outcome = np.empty((len(pairs), len(keys)), dtype=object)
    margin = np.full((len(pairs), len(keys)), np.nan)
    wanted = pd.Index(pairs["pair_id"])
    grouped = scores.groupby(["measure", "protocol"], sort=False)
    for column, (measure, protocol) in enumerate(keys):
        rows = grouped.get_group((measure, protocol)).set_index("pair_id")
        if len(rows) != len(wanted) or not rows.index.is_unique or not wanted.isin(rows.index).all():
            raise InputError(f"scores: {measure} ({protocol}) has not one row for each pair of the benchmark")
        rows = rows.loc[wanted]
        unknown = set(rows["outcome"]) - set(OUTCOMES)
        if unknown:
            raise InputError(f"scores: {measure} ({protocol}) has the unknown outcome {sorted(unknown)[0]!r}")
        outcome[:, column] = rows["outcome"].to_numpy(object)
        margin[:, column] = rows["margin"].to_numpy(float)
    return Decisions([(str(m), str(p)) for m, p in keys], outcome, margin)


Group = tuple[str, str, Ints]
"""Grouping, group, and the numbers of its pairs."""


def groups(pairs: pd.DataFrame) -> Iterator[Group]:
    """(grouping, group, row numbers) of all pairs, each bias type, and each direction that is stated."""
    yield OVERALL, "all", np.arange(len(pairs))
    for bias_type in pairs["bias_type"].drop_duplicates():
        yield BIAS_TYPE, str(bias_type), np.flatnonzero(pairs["bias_type"] == bias_type)
    for direction in DIRECTIONS:
        members = np.flatnonzero(pairs["direction"].eq(direction).fillna(False))
        if len(members):
            yield DIRECTION, direction, members
