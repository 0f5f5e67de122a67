"""AULA."""

from unmask.measures.measure import Evidence, Measure
from unmask.measures.reduction import Reduction, mean, text_tokens, weighted_mean
from unmask.terms import ALL_TOKENS, CONTENT_TOKENS, MODIFIED_TOKENS, NONE, PUBLISHED, SHARED_TOKENS


def aula(evidence: Evidence, protocol: str) -> Reduction:
    """AUL with Attention weights: AULA(S) = 1/|S| Σ_i α_i log P(w_i | S).

    α_i is the attention that w_i receives, averaged over layers, heads and queries.
    Published: over all queries, those at special tokens too, and not scaled, as equation 5 of Kaneko &
    Bollegala 2022 has it; α_i is of the order of 1/|S|, so a longer sentence scores higher.
    Corrected: over the queries of S, and scaled to a mean of one, so that AULA equals AUL where attention is
    uniform. Both are choices of ours.
    """
    tokens = text_tokens(evidence[NONE], protocol)
    if protocol == PUBLISHED:
        return mean(tokens, tokens["log_prob"], weight=tokens["attention"].astype(float))
    return weighted_mean(tokens, tokens["log_prob"], weight=tokens["attention_content"].astype(float))


MEASURE = Measure(
    "AULA",
    aula,
    maskings=(NONE,),
    title="AULA",
    spelt_out="All Unmasked Likelihood with Attention",
    reads="AUL with each token weighted by the attention it receives",
    of_shuffled=True,
    readings=(ALL_TOKENS, CONTENT_TOKENS, SHARED_TOKENS, MODIFIED_TOKENS),
    predictions_of="AUL",
)
