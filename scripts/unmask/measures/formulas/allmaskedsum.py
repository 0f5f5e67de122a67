"""All-Masked as a sum."""

from unmask.measures.measure import Evidence, Measure
from unmask.measures.reduction import Reduction, total
from unmask.terms import ALL, CONTENT_TOKENS, MODIFIED_TOKENS, SHARED_TOKENS, SUM


def all_masked_sum(evidence: Evidence, protocol: str) -> Reduction:
    """All-Masked read as a sum: Σ_i log P(w_i | nothing)."""
    tokens = evidence[ALL]
    return total(tokens, tokens["log_prob"])


MEASURE = Measure(
    "AllMaskedSum",
    all_masked_sum,
    maskings=(ALL,),
    title="All-Masked (sum)",
    spelt_out="summed likelihood",
    reads="All-Masked as a sum, which favours the shorter sentence: a control that sees no context",
    of_nothing=0.0,
    readings=(CONTENT_TOKENS, SHARED_TOKENS, MODIFIED_TOKENS),
    predictions_of="AllMasked",
    over_all_tokens=SUM,
)
