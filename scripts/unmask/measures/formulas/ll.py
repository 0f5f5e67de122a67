"""LL."""

from unmask.measures.left_context import scored_tokens
from unmask.measures.measure import Evidence, Measure
from unmask.measures.reduction import Reduction, total
from unmask.terms import CONTENT_TOKENS, LEFT, MODIFIED_TOKENS, SHARED_TOKENS, SUM


def ll(evidence: Evidence, protocol: str) -> Reduction:
    """Log-likelihood: LL(S) = Σ_t log P(w_t | s, w_<t), s being the start token.

    Published: lm-evaluation-harness (`crows_pairs_*`), which adds them up likewise behind its start token.
    """
    tokens, weight = scored_tokens(evidence[LEFT])
    return total(tokens, tokens["log_prob"], weight)


MEASURE = Measure(
    "LL",
    ll,
    maskings=(LEFT,),
    title="LL",
    spelt_out="Log-Likelihood",
    reads="the summed log-probability of all tokens, each behind those before it",
    of_shuffled=True,
    readings=(CONTENT_TOKENS, SHARED_TOKENS, MODIFIED_TOKENS),
    over_all_tokens=SUM,
)
