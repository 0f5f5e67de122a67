"""Nothing hidden; unrelated sentences are read this way alone."""

from collections.abc import Iterator

import numpy as np

from unmask import terms
from unmask.evidence.sentences import Positions, Sentence

ROLES = terms.ROLES


def hidden(sentence: Sentence) -> Iterator[Positions]:
    yield np.array([], dtype=np.int64)
