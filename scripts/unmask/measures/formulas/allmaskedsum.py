"""All-Masked as a sum."""

from typing import TYPE_CHECKING

from unmask.measures.measure import Evidence, Measure
from unmask.measures.tokens import by_sentence
from unmask.terms import ALL, CONTENT_TOKENS, MODIFIED_TOKENS, SHARED_TOKENS

if TYPE_CHECKING:
    import pandas as pd


def all_masked_sum(evidence: Evidence, protocol: str) -> "pd.Series[float]":
    """All-Masked read as a sum: Σ_i log P(w_i | nothing)."""
    tokens = evidence[ALL]
    return by_sentence(tokens, tokens["log_prob"]).sum()


MEASURE = Measure(
    "AllMaskedSum",
    all_masked_sum,
    maskings=(ALL,),
    title="All-Masked (sum)",
    of_nothing=0.0,
    readings=(CONTENT_TOKENS, SHARED_TOKENS, MODIFIED_TOKENS),
    predictions_of="AllMasked",
)
