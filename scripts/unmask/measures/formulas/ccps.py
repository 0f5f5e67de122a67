"""CCPS."""

from unmask.measures.left_context import is_shared, scored_tokens, without_continuation
from unmask.measures.measure import Evidence, Measure
from unmask.measures.reduction import Reduction, total
from unmask.terms import CONTENT_TOKENS, LEFT, MODIFIED_TOKENS, PUBLISHED, SHARED_TOKENS


def ccps(evidence: Evidence, protocol: str) -> Reduction:
    """Causal CPS: CCPS(S) = Σ_{u∈U} log P(u | s, w_<u), the shared tokens behind those before them.

    What is shared before the first difference cancels. Corrected: a pair that shares nothing behind it is
    undefined. Published: WinoQueer (Felkner et al. 2023, metric_autoregressive.py), rounded to three
    decimals; such a pair is then a tie.
    """
    tokens, weight = scored_tokens(evidence[LEFT])
    counted = is_shared(tokens)
    if protocol != PUBLISHED:
        undefined = without_continuation(tokens)
        counted, weight = counted | undefined, weight.mask(undefined)
    tokens = tokens[counted]
    return total(tokens, tokens["log_prob"], weight[counted])


MEASURE = Measure(
    "CCPS",
    ccps,
    maskings=(LEFT,),
    title="CCPS",
    spelt_out="Causal CrowS-Pairs Score",
    reads="the summed log-probability of the shared tokens, each behind those before it",
    of_nothing=0.0,
    published_decimals=3,
    readings=(CONTENT_TOKENS, SHARED_TOKENS, MODIFIED_TOKENS),
    predictions_of="LL",
)
