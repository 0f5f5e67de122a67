"""CPS."""

from unmask.measures.measure import Evidence, Measure
from unmask.measures.reduction import Reduction, total
from unmask.terms import ONE_SHARED, SHARED_TOKENS


def cps(evidence: Evidence, protocol: str) -> Reduction:
    """CrowS-Pairs Score: CPS(S) = Σ_{w∈U} log P(w | U∖w, M), the shared tokens hidden one at a time."""
    tokens = evidence[ONE_SHARED]
    return total(tokens, tokens["log_prob"])


MEASURE = Measure(
    "CPS",
    cps,
    maskings=(ONE_SHARED,),
    title="CPS",
    spelt_out="CrowS-Pairs Score",
    reads="the summed log-probability of the shared tokens, each hidden in turn",
    of_nothing=0.0,
    published_decimals=3,
    readings=(SHARED_TOKENS,),
    reading_against_aul=SHARED_TOKENS,
)
