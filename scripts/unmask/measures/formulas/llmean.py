"""LL as a mean."""

from unmask.measures.left_context import scored_tokens
from unmask.measures.measure import Evidence, Measure
from unmask.measures.reduction import Reduction, mean
from unmask.terms import CONTENT_TOKENS, LEFT, MEAN, MODIFIED_TOKENS, PUBLISHED, SHARED_TOKENS


def ll_mean(evidence: Evidence, protocol: str) -> Reduction:
    """LLMean(S) = 1/|S| Σ_t log P(w_t | s, w_<t): to causal language models what AUL is to masked ones.

    Published: bigscience-workshop/evaluation, pull request 70. It compares perplexities, whose order this is,
    without a start token (`start: none`), and leaves the first token, which has no probability then, out of
    every sentence.
    """
    tokens, weight = scored_tokens(evidence[LEFT], first_counts=protocol != PUBLISHED)
    return mean(tokens, tokens["log_prob"], weight)


MEASURE = Measure(
    "LLMean",
    ll_mean,
    maskings=(LEFT,),
    title="LL (mean)",
    spelt_out="Log-Likelihood, as a mean",
    reads="the mean log-probability of all tokens, each behind those before it",
    of_shuffled=True,
    readings=(CONTENT_TOKENS, SHARED_TOKENS, MODIFIED_TOKENS),
    predictions_of="LL",
    over_all_tokens=MEAN,
)
