"""What a formula makes of evidence: a weighted sum of log-probabilities for each sentence, token by token."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unmask.terms import PUBLISHED

if TYPE_CHECKING:
    import pandas as pd

    from unmask.measures.measure import Evidence, Measure

    Floats = pd.Series[float]


SENTENCE = ["pair_id", "role"]
"""The columns of evidence that name a sentence."""


@dataclass(frozen=True)
class Reduction:
    """Scores Σ_i weight_i · log P(w_i), or that over Σ_i share_i, with i over the tokens of a sentence.

    tokens: the rows of evidence that count. log_prob: their log-probabilities. weight, share: one number
    for each of these rows, never negative; a sum has no share, a mean the share 1.
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


def text_tokens(tokens: "pd.DataFrame", protocol: str) -> "pd.DataFrame":
    """The rows without the first and the last token of each sentence (published), or without special ones."""
    if protocol == PUBLISHED:
        last = tokens.groupby(SENTENCE, sort=False)["position"].transform("max")
        return tokens[(tokens["position"] > 0) & (tokens["position"] < last)]
    return tokens[~tokens["special"]]


def contributions(measure: "Measure", evidence: "Evidence", protocol: str) -> "pd.DataFrame":
    """What every token that counts adds to the score of its sentence; together they are the score, before any
    rounding of the protocol.

    Columns: pair_id, role, position; masking, under which the token was predicted; log_prob, its
    log-probability there; coefficient, what the measure multiplies that with; adds, the product.
    """
    marked = {masking: rows.assign(masking=masking) for masking, rows in evidence.items()}
    reduction = measure.formula(marked, protocol)
    log_prob, coefficient = reduction.log_prob.astype("float64"), reduction.coefficients()
    return reduction.tokens[[*SENTENCE, "position", "masking"]].assign(
        log_prob=log_prob, coefficient=coefficient, adds=log_prob * coefficient
    )
