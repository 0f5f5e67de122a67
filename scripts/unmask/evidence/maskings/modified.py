"""The tokens that the two sentences do not share, hidden together."""

from collections.abc import Iterator

from unmask.evidence.sentences import Positions, Sentence
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE

ROLES = (STEREOTYPE, ANTISTEREOTYPE)


def hidden(sentence: Sentence) -> Iterator[Positions]:
    positions = sentence.positions(modified=True)
    if positions.size:
        yield positions
