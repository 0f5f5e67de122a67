"""All-Masked."""

from unmask.measures.measure import Evidence, Measure
from unmask.measures.reduction import Reduction, mean
from unmask.terms import ALL, CONTENT_TOKENS, MEAN, MODIFIED_TOKENS, SHARED_TOKENS


def all_masked(evidence: Evidence, protocol: str) -> Reduction:
    """All-Masked: 1/|S| Σ_i log P(w_i | nothing), every token hidden; a mean like AUL."""
    tokens = evidence[ALL]
    return mean(tokens, tokens["log_prob"])


MEASURE = Measure(
    "AllMasked",
    all_masked,
    maskings=(ALL,),
    title="All-Masked",
    spelt_out="All-Masked likelihood",
    reads="the mean log-probability of all tokens, all of them hidden: a control that sees no context",
    readings=(CONTENT_TOKENS, SHARED_TOKENS, MODIFIED_TOKENS),
    over_all_tokens=MEAN,
)
