"""Pseudo-log-likelihood."""

from unmask.measures.measure import Evidence, Measure
from unmask.measures.reduction import Reduction, total
from unmask.terms import CONTENT_TOKENS, MODIFIED_TOKENS, ONE_MODIFIED, ONE_SHARED, SHARED_TOKENS, SUM


def pll(evidence: Evidence, protocol: str) -> Reduction:
    """Pseudo-log-likelihood: PLL(S) = Σ_i log P(w_i | S∖w_i), every token hidden in turn."""
    # here, since whoever plans a study imports this module and should not wait for it
    import pandas as pd

    tokens = pd.concat([evidence[ONE_SHARED], evidence[ONE_MODIFIED]])
    return total(tokens, tokens["log_prob"])


MEASURE = Measure(
    "PLL",
    pll,
    maskings=(ONE_SHARED, ONE_MODIFIED),
    title="PLL",
    spelt_out="Pseudo-Log-Likelihood",
    reads="the summed log-probability of all tokens, each hidden in turn",
    of_nothing=0.0,
    readings=(CONTENT_TOKENS, SHARED_TOKENS, MODIFIED_TOKENS),
    over_all_tokens=SUM,
)
