"""One model in many states on the same pairs: how far each state has moved from the first."""

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.statistics.decisions import Decisions
from unmask.statistics.dependence import Dependence
from unmask.statistics.intervals import Floats
from unmask.statistics.schema import STATES
from unmask.statistics.student import student
from unmask.tables import framed


def states_compared(
    of_states: Mapping[str, Decisions], dependence: Dependence, confidence: float
) -> pd.DataFrame:
    """Each state less the first under each measure and protocol of both, as
    unmask.statistics.schema.STATES.

    of_states: the decisions of each state on the same pairs, in the order of the series; dependence: which of
    these pairs vary together.

    Under one measure and protocol all states are compared on the same pairs: those that count for every state
    which has a score. A state without one is left out, and so is a measure of which the first has none.
    Errors are clustered (Dependence.variance of the pairs' own differences); degrees of freedom are at most
    one less than there are pairs with a difference. Each interval is by itself. Where a state decides every
    pair as the first, or nothing is known of how pairs vary, there is no interval and no p.
    """
    first, *others = of_states
    rows: list[dict[str, object]] = []
    for measure, protocol in of_states[first].series:
        columns = {
            state: _Column.of(decisions, decisions.series.index((measure, protocol)))
            for state, decisions in of_states.items()
            if (measure, protocol) in decisions.series
        }
        columns = {state: column for state, column in columns.items() if column.counts.any()}
        if first not in columns or len(columns) < 2:
            continue
        members = np.flatnonzero(np.logical_and.reduce([column.counts for column in columns.values()]))
        if not len(members):
            continue
        compared = [state for state in others if state in columns]
        names = {"first": first, "measure": measure, "protocol": protocol}
        of_states_here = [columns[state].among(members) for state in compared]
        moved = _moved(columns[first].among(members), of_states_here, dependence.among(members), confidence)
        rows += [names | {"state": state} | row for state, row in zip(compared, moved, strict=True)]
    return framed(rows, STATES)


class _Column:
    """What one state decides under one measure and protocol.

    counts: which pairs count. credit: of each in percent; least, most: the same at either end of float error.
    """

    def __init__(self, counts: npt.NDArray[np.bool_], credit: Floats, least: Floats, most: Floats) -> None:
        self.counts, self.credit, self.least, self.most = counts, credit, least, most

    @classmethod
    def of(cls, decisions: Decisions, place: int) -> "_Column":
        ends = [100 * decisions.credit(end)[:, place] for end in (decisions.lowest, decisions.highest)]
        credit = 100 * decisions.credit()[:, place]
        return cls(decisions.trials()[:, place] > 0, credit, np.minimum(*ends), np.maximum(*ends))

    def among(self, members: npt.NDArray[np.int64]) -> "_Column":
        return _Column(self.counts[members], self.credit[members], self.least[members], self.most[members])


def _moved(
    first: _Column, states: list[_Column], dependence: Dependence, confidence: float
) -> Iterator[dict[str, object]]:
    """The rows of all states under one measure and protocol."""
    n = len(first.credit)
    differences = np.column_stack([state.credit - first.credit for state in states])
    difference = differences.mean(axis=0)
    moments = dependence.moments(np.full(n, 1 / n), np.zeros(n, np.int64))
    variance = moments.variance(differences - difference)
    df = np.minimum(variance.df, np.count_nonzero(differences, axis=0) - 1.0)
    alone = student(difference, variance.clustered, df, confidence)
    known = ~np.isnan(alone.error)
    for place, state in enumerate(states):
        apart = (state.least > first.most) | (state.most < first.least)
        yield {
            "n": n,
            "first_score": first.credit.mean(),
            "score": state.credit.mean(),
            "difference": difference[place],
            "error": alone.error[place],
            "df": df[place] if known[place] else np.nan,
            "low": alone.low[place],
            "high": alone.high[place],
            "p": alone.p[place],
            "changed": np.count_nonzero(differences[:, place]),
            "beyond": np.count_nonzero(apart),
            "confidence": confidence,
        }
