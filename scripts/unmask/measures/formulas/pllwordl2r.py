"""PLL-word-l2r."""

from unmask.measures.measure import Evidence, Measure
from unmask.measures.reduction import Reduction, total
from unmask.terms import CONTENT_TOKENS, MODIFIED_TOKENS, REST_OF_WORD, SHARED_TOKENS, SUM


def pll_word_l2r(evidence: Evidence, protocol: str) -> Reduction:
    """PLL within words, left to right: Σ_w Σ_t log P(w_t | S∖{w_t' : t' ≥ t}), w_t token t of word w.

    Kauf & Ivanova (2023). No authors' code is read here: the protocols differ in how they count ties.
    """
    tokens = evidence[REST_OF_WORD]
    return total(tokens, tokens["log_prob"])


MEASURE = Measure(
    "PLLWordL2R",
    pll_word_l2r,
    maskings=(REST_OF_WORD,),
    title="PLL-word-l2r",
    spelt_out="Pseudo-Log-Likelihood, within words from left to right",
    reads="the summed log-probability of all tokens, each hidden with the rest of its word",
    of_nothing=0.0,
    readings=(CONTENT_TOKENS, SHARED_TOKENS, MODIFIED_TOKENS),
    over_all_tokens=SUM,
)
