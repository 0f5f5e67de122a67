"""For causal language models: the text without a start token, all but the first token behind those before."""

from collections.abc import Iterator

import numpy as np

from unmask.evidence.sentences import Positions, Sentence
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE

ROLES = (STEREOTYPE, ANTISTEREOTYPE)


def hidden(sentence: Sentence) -> Iterator[Positions]:
    yield np.flatnonzero(~sentence.special)[1:]
