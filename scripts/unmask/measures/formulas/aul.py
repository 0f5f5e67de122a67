"""AUL."""

from unmask.measures.measure import Evidence, Measure
from unmask.measures.reduction import Reduction, mean, text_tokens
from unmask.terms import ALL_TOKENS, CONTENT_TOKENS, MEAN, MODIFIED_TOKENS, NONE, SHARED_TOKENS


def aul(evidence: Evidence, protocol: str) -> Reduction:
    """All Unmasked Likelihood: AUL(S) = 1/|S| Σ_i log P(w_i | S).

    Published: S is everything but the first and the last token, whichever are special.
    """
    tokens = text_tokens(evidence[NONE], protocol)
    return mean(tokens, tokens["log_prob"])


MEASURE = Measure(
    "AUL",
    aul,
    maskings=(NONE,),
    title="AUL",
    spelt_out="All Unmasked Likelihood",
    reads="the mean log-probability of all tokens, none of them hidden",
    of_shuffled=True,
    readings=(ALL_TOKENS, CONTENT_TOKENS, SHARED_TOKENS, MODIFIED_TOKENS),
    over_all_tokens=MEAN,
)
