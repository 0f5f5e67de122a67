"""For causal language models: the text without a start token, all but the first token behind those before."""

from collections.abc import Iterator

import numpy as np

from unmask import terms
from unmask.evidence.sentences import Positions, Sentence

ROLES = terms.ROLES


def hidden(sentence: Sentence) -> Iterator[Positions]:
    yield np.flatnonzero(~sentence.special)[1:]
