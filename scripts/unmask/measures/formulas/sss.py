"""SSS."""

from typing import TYPE_CHECKING

from unmask.measures.measure import Evidence, Measure
from unmask.measures.tokens import by_sentence
from unmask.terms import CANDIDATES, MODIFIED, MODIFIED_TOKENS, PUBLISHED

if TYPE_CHECKING:
    import pandas as pd


def sss(evidence: Evidence, protocol: str) -> "pd.Series[float]":
    """StereoSet Score: SSS(S) = 1/|M| Σ_{w∈M} log P(w | U), the modified tokens hidden together.

    Published: each modified token is looked up at every modified position and all |M|×|M|
    log-probabilities are averaged.
    """
    tokens = evidence[MODIFIED]
    column = "cross_log_prob" if protocol == PUBLISHED else "log_prob"
    return by_sentence(tokens, tokens[column]).mean()


MEASURE = Measure(
    "SSS",
    sss,
    maskings=(MODIFIED,),
    title="SSS",
    readings=(MODIFIED_TOKENS, CANDIDATES),
    reading_against_aul=MODIFIED_TOKENS,
)
