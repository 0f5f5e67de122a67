"""Maskings: what is hidden from the model, and which tokens it then has to predict."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from unmask.evidence.sentences import Positions, Sentence
from unmask.terms import ALL, ANTISTEREOTYPE, MODIFIED, NONE, ONE_MODIFIED, ONE_SHARED, ROLES, STEREOTYPE

Masking = Callable[[Sentence], Iterator[Positions]]
"""Gives, for each time that a model reads the sentence, the positions hidden from it."""


def _nothing(sentence: Sentence) -> Iterator[Positions]:
    yield np.array([], dtype=np.int64)


def _each_shared(sentence: Sentence) -> Iterator[Positions]:
    for position in np.flatnonzero(~_modified(sentence) & ~sentence.special):
        yield np.array([position])


def _each_modified(sentence: Sentence) -> Iterator[Positions]:
    for position in np.flatnonzero(_modified(sentence) & ~sentence.special):
        yield np.array([position])


def _all_modified(sentence: Sentence) -> Iterator[Positions]:
    positions = np.flatnonzero(_modified(sentence) & ~sentence.special)
    if positions.size:
        yield positions


def _everything(sentence: Sentence) -> Iterator[Positions]:
    yield np.flatnonzero(~sentence.special)


def _modified(sentence: Sentence) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    if sentence.modified is None:
        raise ValueError(f"pair {sentence.pair_id}: the {sentence.role} sentence shares tokens with none")
    return sentence.modified


MASKINGS: Mapping[str, Masking] = {
    NONE: _nothing,
    ONE_SHARED: _each_shared,
    ONE_MODIFIED: _each_modified,
    MODIFIED: _all_modified,
    ALL: _everything,
}
"""Masking `none` predicts every token, special ones too; the others predict what they hide."""


def roles_of(masking: str) -> tuple[str, ...]:
    """The sentences that a masking is applied to: unrelated ones are only read with nothing hidden."""
    return ROLES if masking == NONE else (STEREOTYPE, ANTISTEREOTYPE)
