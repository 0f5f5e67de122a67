"""What measures give on an exact model (context `trusted`) in closed form.

A pair of a world differs in one token m (a pronoun or a group) and shares, beside words that tell nothing,
one word u that goes with m: the occupation or the trait. P(u|m) in the stereotypical sentence S is to that in
the other, A, as p to 1 - p; the group of S is `ratio` times as rare (direction `stereo`) or as frequent
(`antistereo`) as that of A. All margins are S minus A, in natural logarithms.
"""

import math
from collections.abc import Sequence

from library import STEREO


def log_odds(p: float) -> float:
    """log p/(1 - p)."""
    return math.log(p / (1 - p))


def towards_stereotype(ratio: float, direction: str) -> float:
    """The log frequency of the word m of the stereotypical sentence minus that of the other's."""
    return -math.log(ratio) if direction == STEREO else math.log(ratio)


def cps_margin(p: float) -> float:
    """CPS hides the shared words: of these u alone tells S from A, by P(u|m), p against 1 - p."""
    return log_odds(p)


def sss_margin(p: float, ratio: float, direction: str) -> float:
    """SSS hides m: P(m|u) ∝ P(m) P(u|m), so that the two words' frequencies and P(u|m) both count."""
    return log_odds(p) + towards_stereotype(ratio, direction)


def pll_margin(p: float, ratio: float, direction: str) -> float:
    """Pseudo-log-likelihood hides each word in turn: the shared ones as in CPS, and m as in SSS.

    Only where m is one word: of two pronouns either tells the other, and what is left is CPS.
    """
    return cps_margin(p) + sss_margin(p, ratio, direction)


def all_masked_margin(ratio: float, direction: str, tokens: int) -> float:
    """All-Masked hides every word, so that each has its frequency in its place: only that of m differs."""
    return towards_stereotype(ratio, direction) / tokens


def trust(tokens: int) -> float:
    """λ = kept · V / random = V: how far a visible token is trusted, since as many are kept as replaced.

    tokens: V, how many tokens there are.
    """
    return float(tokens)


def seen(q: float, trust: float) -> float:
    """g: the probability of a visible token that has the probability q > 0 from all others."""
    return q * (trust + 1) / (q * trust + 1)


def aul_score(q: Sequence[float], trust: float) -> float:
    """AUL of a sentence: the mean of log g(q) over its tokens, q as `seen` has it."""
    return sum(math.log(seen(each, trust)) for each in q) / len(q)
