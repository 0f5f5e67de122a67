"""Each token that the two sentences do not share, hidden in turn."""

from collections.abc import Iterator

import numpy as np

from unmask.evidence.sentences import Positions, Sentence
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE

ROLES = (STEREOTYPE, ANTISTEREOTYPE)


def hidden(sentence: Sentence) -> Iterator[Positions]:
    for position in sentence.positions(modified=True):
        yield np.array([position])
