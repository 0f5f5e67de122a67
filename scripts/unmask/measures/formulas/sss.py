"""SSS."""

from unmask.measures.measure import Evidence, Measure
from unmask.measures.reduction import Reduction, mean
from unmask.terms import CANDIDATES, MODIFIED, MODIFIED_TOKENS, PUBLISHED


def sss(evidence: Evidence, protocol: str) -> Reduction:
    """StereoSet Score: SSS(S) = 1/|M| Σ_{w∈M} log P(w | U), the modified tokens hidden together.

    Published: each modified token is looked up at every modified position and all |M|×|M|
    log-probabilities are averaged.
    """
    tokens = evidence[MODIFIED]
    column = "cross_log_prob" if protocol == PUBLISHED else "log_prob"
    return mean(tokens, tokens[column])


MEASURE = Measure(
    "SSS",
    sss,
    maskings=(MODIFIED,),
    title="SSS",
    spelt_out="StereoSet Score",
    reads="the mean log-probability of the modified tokens, all of them hidden together",
    readings=(MODIFIED_TOKENS, CANDIDATES),
    reading_against_aul=MODIFIED_TOKENS,
)
