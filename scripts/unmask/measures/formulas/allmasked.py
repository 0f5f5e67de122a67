"""All-Masked."""

from typing import TYPE_CHECKING

from unmask.measures.measure import Evidence, Measure
from unmask.measures.tokens import by_sentence
from unmask.terms import ALL, CONTENT_TOKENS, MODIFIED_TOKENS, SHARED_TOKENS

if TYPE_CHECKING:
    import pandas as pd


def all_masked(evidence: Evidence, protocol: str) -> "pd.Series[float]":
    """All-Masked: 1/|S| Σ_i log P(w_i | nothing), every token hidden; a mean like AUL."""
    tokens = evidence[ALL]
    return by_sentence(tokens, tokens["log_prob"]).mean()


MEASURE = Measure(
    "AllMasked",
    all_masked,
    maskings=(ALL,),
    title="All-Masked",
    readings=(CONTENT_TOKENS, SHARED_TOKENS, MODIFIED_TOKENS),
)
