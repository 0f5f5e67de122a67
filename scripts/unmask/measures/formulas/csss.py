"""CSSS."""

from unmask.measures.left_context import is_modified, scored_tokens
from unmask.measures.measure import Evidence, Measure
from unmask.measures.reduction import Reduction, mean
from unmask.terms import CONTENT_TOKENS, LEFT, MODIFIED_TOKENS, SHARED_TOKENS


def csss(evidence: Evidence, protocol: str) -> Reduction:
    """Causal SSS: CSSS(S) = 1/|M| Σ_{m∈M} log P(m | s, w_<m), the modified tokens behind those before them.

    With CCPS it splits LL: LL(S) = CCPS(S) + |M| · CSSS(S).
    """
    tokens, weight = scored_tokens(evidence[LEFT])
    counted = is_modified(tokens)
    tokens = tokens[counted]
    return mean(tokens, tokens["log_prob"], weight[counted])


MEASURE = Measure(
    "CSSS",
    csss,
    maskings=(LEFT,),
    title="CSSS",
    spelt_out="Causal StereoSet Score",
    reads="the mean log-probability of the modified tokens, each behind those before it",
    readings=(CONTENT_TOKENS, SHARED_TOKENS, MODIFIED_TOKENS),
    predictions_of="LL",
)
