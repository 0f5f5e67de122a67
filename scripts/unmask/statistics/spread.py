"""Means over the same pairs, with their variances where pairs vary together, and their intervals."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unmask.statistics.dependence import Dependence, blocks
from unmask.statistics.intervals import Floats, Ints, clustered_interval, clustered_p


@dataclass(frozen=True)
class Spread:
    """k means over the same pairs: their clustered and independent variances and degrees of freedom.

    largest: their design effects if all pairs that share something had one value. rarer: the
    effective size of the rarer decision (Dependence.effective_size), of one group; nan where the columns are
    no decisions.
    """

    mean: Floats
    clustered: Floats
    independent: Floats
    df: Floats
    largest: Floats
    rarer: Floats

    def interval(self, column: int, n: float, confidence: float, neutral: float = 0.5) -> tuple[float, float]:
        """Of a score over n pairs, in percent; means and neutral, the score of no preference, are shares."""
        score, effect, largest, rarer, df = self._of(column)
        low, high = clustered_interval(
            np.array([score]), n, np.array([effect]), largest, np.array([rarer]), df, confidence, neutral
        )
        return float(low[0]), float(high[0])

    def p(self, column: int, n: float, neutral: float) -> float:
        """Of no preference, of a score over n pairs: the interval of confidence 1 - p ends at neutral."""
        score, effect, largest, rarer, df = self._of(column)
        return clustered_p(score, n, effect, largest, rarer, df, neutral)

    def unanimous_low(self, column: int, n: float, confidence: float) -> float:
        """The lower end of the interval if all n pairs were decided for the stereotype, in percent."""
        one, nothing, unknown = np.array([1.0]), np.array([0.0]), np.array([np.nan])
        _, _, largest, _, df = self._of(column)
        return float(clustered_interval(one, n, unknown, largest, nothing, df, confidence)[0][0])

    def _of(self, column: int) -> tuple[float, float, float, float, float]:
        """A score, its design effect, the largest, the effective size of its rarer decision, and df."""
        independent = float(self.independent[column])
        # decisions that are all alike tell nothing of how they vary together
        effect = float(self.clustered[column]) / independent if independent > 0 else float("nan")
        return (
            float(self.mean[column]),
            effect,
            float(self.largest[column]),
            float(self.rarer[column]),
            float(self.df[column]),
        )


def spread_of(
    values: Floats,
    counted: npt.NDArray[np.bool_],
    members: Ints,
    weights: Floats,
    groups: Ints,
    dependence: Dependence,
    decided: int = 0,
) -> Spread:
    """Σ weights · group means of `values`, shape (pairs, k), over those of `members` that are `counted`, of
    the same shape.

    weights: shape (groups,), what the mean of each group is multiplied by. groups: the group of each of
    `members`, of which `dependence` is. decided: so many columns, the first, are what pairs add to a score,
    all of them of one group. nan where a group has no pair.
    """
    k = values.shape[1]
    spread = Spread(*(np.full(k, np.nan) for _ in range(6)))
    # nearly always the same pairs for every column
    columns_of: dict[bytes, list[int]] = {}
    for column in range(k):
        columns_of.setdefault(np.packbits(counted[members, column]).tobytes(), []).append(column)
    for columns in map(np.array, columns_of.values()):
        inside = np.flatnonzero(counted[members, columns[0]])
        group = groups[inside]
        sizes = np.bincount(group, minlength=len(weights))
        if not sizes.all():
            continue
        among = dependence if len(inside) == len(dependence) else dependence.among(inside)
        moments = among.moments((weights / sizes)[group], group)
        for block in blocks(len(inside), len(columns)):
            some = columns[block]
            of_block = values[np.ix_(members[inside], some)]
            means = np.stack([of_block[group == place].mean(axis=0) for place in range(len(weights))])
            variance = moments.variance(of_block - means[group])
            spread.mean[some] = weights @ means
            spread.clustered[some], spread.independent[some] = variance.clustered, variance.independent
            spread.df[some] = variance.df
            spread.largest[some] = moments.largest_effect
            of_decisions = some < decided
            spread.rarer[some[of_decisions]] = among.effective_size(of_block[:, of_decisions])
    return spread
