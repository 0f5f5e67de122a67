"""Pseudo-log-likelihood."""

from typing import TYPE_CHECKING

from unmask.measures.measure import Evidence, Measure
from unmask.measures.tokens import by_sentence
from unmask.terms import CONTENT_TOKENS, MODIFIED_TOKENS, ONE_MODIFIED, ONE_SHARED, SHARED_TOKENS

if TYPE_CHECKING:
    import pandas as pd


def pll(evidence: Evidence, protocol: str) -> "pd.Series[float]":
    """Pseudo-log-likelihood: PLL(S) = Σ_i log P(w_i | S∖w_i), every token hidden in turn."""
    # here, since whoever plans a study imports this module and should not wait for it
    import pandas as pd

    tokens = pd.concat([evidence[ONE_SHARED], evidence[ONE_MODIFIED]])
    return by_sentence(tokens, tokens["log_prob"]).sum()


MEASURE = Measure(
    "PLL",
    pll,
    maskings=(ONE_SHARED, ONE_MODIFIED),
    title="PLL",
    of_nothing=0.0,
    readings=(CONTENT_TOKENS, SHARED_TOKENS, MODIFIED_TOKENS),
)
