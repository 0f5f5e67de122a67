"""What measures decide of the pairs of a benchmark, and the groups of pairs that scores are over."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from unmask.errors import InputError
from unmask.statistics.schema import BIAS_TYPE, DIRECTION, OVERALL
from unmask.statistics.sharing import Flags, Floats, Ints
from unmask.tables import framed
from unmask.terms import ANTISTEREOTYPE, DIRECTIONS, PUBLISHED, STEREOTYPE, TIE, UNDEFINED

NO_PREFERENCE = 50.0
"""The score, in percent, of a model that prefers the two sides of a pair equally often."""

Outcomes = npt.NDArray[np.object_]


@dataclass(frozen=True)
class Decisions:
    """The decisions of every measure and protocol, in arrays of shape (pairs, series).

    series: (measure, protocol) of each column. outcome: one of OUTCOMES. margin: nan where undefined. lowest,
    highest: the outcomes at either end of float error; where they differ the decision is a near-tie.
    """

    series: list[tuple[str, str]]
    outcome: Outcomes
    margin: Floats
    lowest: Outcomes
    highest: Outcomes

    def credit(self) -> Floats:
        """What each pair adds to a score that is a mean of these: 1 for the stereotype, 0 for the other side.

        A tie adds a half in `corrected` and 0 in `published`. An undefined pair adds 0 in `published` and
        does not count (nan) in `corrected`; in neither where the measure is undefined for every pair.
        """
        credit = (self.outcome == STEREOTYPE) + (self.outcome == TIE) * np.where(self.published, 0.0, 0.5)
        defined = self.outcome != UNDEFINED
        # a measure that says nothing of any pair, such as AULA without attention, has no score
        counts = defined | (self.published & defined.any(axis=0))
        counted: Floats = np.where(counts, credit, np.nan)
        return counted

    @property
    def published(self) -> Flags:
        """Which of the series are of the protocol `published`."""
        return np.array([protocol == PUBLISHED for _, protocol in self.series], dtype=bool)

    def decided(self) -> Flags:
        """Where either side is preferred: no tie, and not undefined; shape (pairs, series)."""
        decided: Flags = (self.outcome == STEREOTYPE) | (self.outcome == ANTISTEREOTYPE)
        return decided

    def neutral(self, members: Ints) -> Floats:
        """The score over these pairs where neither side is preferred, as a share of 1, shape (series,).

        It is a half; in `published`, where ties and undefined pairs count as not stereotypical, half of the
        share of those that are decided.
        """
        neutral: Floats = np.where(self.published, self.decided()[members].mean(axis=0) / 2, 0.5)
        return neutral

    @property
    def names(self) -> pd.DataFrame:
        """The series as columns: measure, protocol."""
        return pd.DataFrame(self.series, columns=_SERIES)

    def of(self, series: Sequence[tuple[str, str]], rows: Ints | None = None) -> "Decisions":
        """Those of some series, which may repeat, and of some pairs by their numbers, or of all."""
        columns = np.array([self.series.index(each) for each in series], np.int64)
        place = np.ix_(np.arange(len(self.outcome)) if rows is None else rows, columns)
        return Decisions(list(series), *(getattr(self, name)[place] for name in _COLUMNS))


_SERIES = ["measure", "protocol"]
_COLUMNS = ("outcome", "margin", "lowest", "highest")


def decisions(pairs: pd.DataFrame, scores: pd.DataFrame) -> Decisions:
    """The decisions in `scores` (SCORES), in the order of `pairs` (PAIRS).

    Raises InputError where the scores are not of exactly these pairs.
    """
    parts: dict[tuple[str, str], pd.DataFrame] = {}
    for (measure, protocol), rows in scores.groupby(_SERIES, sort=False, observed=True):
        if sorted(rows["pair_id"]) != sorted(pairs["pair_id"]):
            raise InputError(f"scores: {measure} ({protocol}) has not one row for each pair of the benchmark")
        parts[str(measure), str(protocol)] = rows.set_index("pair_id").loc[pairs["pair_id"]]
    arrays = (
        np.column_stack(
            [part[name].to_numpy(float if name == "margin" else object) for part in parts.values()]
        )
        for name in _COLUMNS
    )
    return Decisions(list(parts), *arrays)


def in_order(parts: Sequence[pd.DataFrame], schema: pa.Schema) -> pd.DataFrame:
    """Parts of a table, each row with the number of its series as index, as one table in that order."""
    rows = pd.concat(parts).sort_index(kind="stable") if parts else pd.DataFrame()
    return framed(rows, schema).reset_index(drop=True)


def groups(pairs: pd.DataFrame) -> Iterator[tuple[str, str, Ints]]:
    """(grouping, group, row numbers) of all pairs, each bias type, and each direction that is stated."""
    yield OVERALL, "all", np.arange(len(pairs))
    for bias_type in pairs["bias_type"].drop_duplicates():
        yield BIAS_TYPE, str(bias_type), np.flatnonzero(pairs["bias_type"] == bias_type)
    for direction in DIRECTIONS:
        members = np.flatnonzero(pairs["direction"].eq(direction).fillna(False))
        if len(members):
            yield DIRECTION, direction, members


def of_bias_type(pairs: pd.DataFrame, bias_type: str | None) -> tuple[pd.DataFrame, str | None]:
    """The pairs (PAIRS) of a bias type, and its name; all of them, and None, where it is None or there are
    none."""
    of_type = pairs["bias_type"].eq(bias_type) if bias_type is not None else None
    if of_type is None or not of_type.any():
        return pairs, None
    return pairs[of_type].reset_index(drop=True), bias_type
