"""The tokens of each word, hidden together.

The masking of PLL-whole-word (Kauf & Ivanova 2023).
"""

from collections.abc import Iterator

from unmask.evidence.sentences import Positions, Sentence
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE

ROLES = (STEREOTYPE, ANTISTEREOTYPE)


def hidden(sentence: Sentence) -> Iterator[Positions]:
    yield from sentence.words()
