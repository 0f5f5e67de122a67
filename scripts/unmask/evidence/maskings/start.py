"""For causal language models: each token of the text behind the start token alone, as `all` is for others."""

from collections.abc import Iterator

import numpy as np

from unmask.evidence.sentences import Positions, Sentence
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE

ROLES = (STEREOTYPE, ANTISTEREOTYPE)


def hidden(sentence: Sentence) -> Iterator[Positions]:
    # without a start token there is nothing for a token to stand behind
    if sentence.special[0]:
        yield np.flatnonzero(~sentence.special)
