"""PLL-whole-word."""

from unmask.measures.measure import Evidence, Measure
from unmask.measures.reduction import Reduction, total
from unmask.terms import CONTENT_TOKENS, MODIFIED_TOKENS, SHARED_TOKENS, SUM, WHOLE_WORD


def pll_whole_word(evidence: Evidence, protocol: str) -> Reduction:
    """PLL of whole words: Σ_w Σ_t log P(w_t | S∖w), w_t token t of word w.

    Kauf & Ivanova (2023). No authors' code is read here: the protocols differ in how they count ties.
    """
    tokens = evidence[WHOLE_WORD]
    return total(tokens, tokens["log_prob"])


MEASURE = Measure(
    "PLLWholeWord",
    pll_whole_word,
    maskings=(WHOLE_WORD,),
    title="PLL-whole-word",
    spelt_out="Pseudo-Log-Likelihood of whole words",
    reads="the summed log-probability of all tokens, each hidden with all of its word",
    of_nothing=0.0,
    readings=(CONTENT_TOKENS, SHARED_TOKENS, MODIFIED_TOKENS),
    over_all_tokens=SUM,
)
