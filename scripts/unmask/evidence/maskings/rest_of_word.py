"""Each token in turn, hidden with the tokens of its word behind it; of these it alone is predicted.

The masking of PLL-word-l2r (Kauf & Ivanova 2023).
"""

from collections.abc import Iterator

from unmask.evidence.sentences import Positions, Sentence
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE

ROLES = (STEREOTYPE, ANTISTEREOTYPE)


def hidden(sentence: Sentence) -> Iterator[Positions]:
    for word in sentence.words():
        for first in range(len(word)):
            yield word[first:]
