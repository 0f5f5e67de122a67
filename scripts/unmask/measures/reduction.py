"""What a formula makes of evidence: a weighted sum of log-probabilities for each sentence."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unmask.measures.tokens import SENTENCE

if TYPE_CHECKING:
    import pandas as pd

    Floats = pd.Series[float]


@dataclass(frozen=True)
class Reduction:
    """Scores Σ_i weight_i · log P(w_i), or that over Σ_i share_i, with i over the tokens of a sentence.

    tokens: the rows of evidence that count. log_prob: their log-probabilities. weight, share: one number
    for each of these rows, not negative; a sum has no share, a mean the share 1.
    """

    tokens: "pd.DataFrame"
    log_prob: "Floats"
    weight: "Floats | None" = None
    share: "Floats | None" = None

    def scores(self) -> "Floats":
        """One score per sentence, by pair_id and role; nan where a weight is unknown."""
        weighted = self.log_prob.astype("float64")
        if self.weight is not None:
            weighted = weighted * self.weight
        total: Floats = self._by_sentence(weighted).sum(skipna=False)
        return total if self.share is None else total / self._by_sentence(self.share).sum(skipna=False)

    def coefficients(self) -> "Floats":
        """What each row's log-probability is multiplied by in the score of its sentence."""
        ones = self.log_prob.astype("float64") * 0 + 1
        weight = ones if self.weight is None else self.weight
        return weight if self.share is None else weight / self._by_sentence(self.share).transform("sum")

    def _by_sentence(self, values: "Floats") -> "pd.api.typing.SeriesGroupBy[float, tuple[Hashable, ...]]":
        # in double precision: a sum of many float32 would depend on their order
        return values.astype("float64").groupby([self.tokens[name] for name in SENTENCE], sort=False)


def total(tokens: "pd.DataFrame", log_prob: "Floats", weight: "Floats | None" = None) -> Reduction:
    """The (weighted) sum over the tokens of each sentence."""
    return Reduction(tokens, log_prob, weight)


def mean(tokens: "pd.DataFrame", log_prob: "Floats", weight: "Floats | None" = None) -> Reduction:
    """The mean over the tokens of each sentence of (weighted) log-probabilities."""
    return Reduction(tokens, log_prob, weight, share=(tokens["position"] * 0 + 1).astype("float64"))


def weighted_mean(tokens: "pd.DataFrame", log_prob: "Floats", weight: "Floats") -> Reduction:
    """The mean over the tokens of each sentence by weights that are scaled to a mean of one."""
    return Reduction(tokens, log_prob, weight, share=weight)
