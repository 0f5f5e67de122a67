"""AUL."""

from typing import TYPE_CHECKING

from unmask.measures.measure import Evidence, Measure
from unmask.measures.tokens import by_sentence, text_tokens
from unmask.terms import ALL_TOKENS, CONTENT_TOKENS, MODIFIED_TOKENS, NONE, SHARED_TOKENS

if TYPE_CHECKING:
    import pandas as pd


def aul(evidence: Evidence, protocol: str) -> "pd.Series[float]":
    """All Unmasked Likelihood: AUL(S) = 1/|S| Σ_i log P(w_i | S).

    Published: S is everything but the first and the last token, whichever are special.
    """
    tokens = text_tokens(evidence[NONE], protocol)
    return by_sentence(tokens, tokens["log_prob"]).mean()


MEASURE = Measure(
    "AUL",
    aul,
    maskings=(NONE,),
    title="AUL",
    readings=(ALL_TOKENS, CONTENT_TOKENS, SHARED_TOKENS, MODIFIED_TOKENS),
)
