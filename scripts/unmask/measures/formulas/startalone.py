"""Start-Alone."""

from unmask.measures.measure import Evidence, Measure
from unmask.measures.reduction import Reduction, mean
from unmask.terms import CONTENT_TOKENS, MEAN, MODIFIED_TOKENS, SHARED_TOKENS, START


def start_alone(evidence: Evidence, protocol: str) -> Reduction:
    """Start-Alone: 1/|S| Σ_t log P(w_t | s), to causal language models what All-Masked is to masked ones.

    Without a start token s it is undefined.
    """
    tokens = evidence[START]
    return mean(tokens, tokens["log_prob"])


MEASURE = Measure(
    "StartAlone",
    start_alone,
    maskings=(START,),
    title="Start-Alone",
    spelt_out="likelihood behind the start token alone",
    reads="the mean log-probability of all tokens, each behind the start token alone: no context",
    readings=(CONTENT_TOKENS, SHARED_TOKENS, MODIFIED_TOKENS),
    over_all_tokens=MEAN,
)
