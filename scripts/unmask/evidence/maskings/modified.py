"""The tokens that the two sentences do not share, hidden together.

Of an unrelated sentence they are those that it does not share with the stereotypical one.
"""

from collections.abc import Iterator

import numpy as np

from unmask import terms
from unmask.evidence.sentences import Positions, Sentence

ROLES = terms.ROLES


def hidden(sentence: Sentence) -> Iterator[Positions]:
    if sentence.unlike is None:
        positions = sentence.positions(modified=True)
    else:
        positions = np.flatnonzero(sentence.unlike & ~sentence.special)
    if positions.size:
        yield positions
