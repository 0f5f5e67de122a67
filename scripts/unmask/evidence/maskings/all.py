"""Every token of the text, hidden together."""

from collections.abc import Iterator

import numpy as np

from unmask.evidence.sentences import Positions, Sentence
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE

ROLES = (STEREOTYPE, ANTISTEREOTYPE)


def hidden(sentence: Sentence) -> Iterator[Positions]:
    yield np.flatnonzero(~sentence.special)
