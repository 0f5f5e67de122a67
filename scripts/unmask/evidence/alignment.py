"""Which tokens the two sentences of a pair share, by the alignment of either protocol.

Both are Ratcliff and Obershelp's, as difflib has it: the longest block that both sequences have, then the
same to its left and to its right. From 200 elements of the second sequence on difflib by default passes over
those that are more than 1% of it: the released code does so, and takes a run of these for modified that
touches no rarer element of both. `corrected` has no such exception.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

import numpy as np
import numpy.typing as npt

from unmask.evidence.protocols import role_in
from unmask.evidence.sentences import Mask, Positions, Sentence, modified_tokens
from unmask.terms import CORRECTED, PUBLISHED

POPULAR_FROM = 200
"""From so many elements of the second sequence on difflib passes over the popular ones by default."""

Masks = tuple[Mask, Mask]


@dataclass(frozen=True)
class Aligned(Sentence):
    """A sentence whose `modified` is that of the protocol corrected."""

    published: Mask | None = None
    """What is modified in the protocol published, where that differs."""


def align(
    first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]
) -> tuple[Masks, Masks | tuple[None, None]]:
    """Which tokens of two sequences are modified: in corrected, and in published where that differs.

    Takes time of the order of both lengths multiplied where tokens seldom recur, and multiplied by the length
    once more in the worst case, two sequences of very few different tokens.
    """
    published = modified_tokens(first, second)
    if len(second) < POPULAR_FROM:
        return published, (None, None)
    corrected = np.ones(len(first), dtype=bool), np.ones(len(second), dtype=bool)
    matcher = SequenceMatcher(None, first.tolist(), second.tolist(), autojunk=False)
    for block in matcher.get_matching_blocks():
        corrected[0][block.a : block.a + block.size] = False
        corrected[1][block.b : block.b + block.size] = False
    if all(np.array_equal(*masks) for masks in zip(corrected, published, strict=True)):
        return corrected, (None, None)
    return corrected, published


def by_protocol(
    sentence: Sentence, hidden_in: Callable[[Sentence], Iterator[Positions]]
) -> Iterator[Sentence]:
    """The sentence as it is, or once for each protocol where `hidden_in` hides other tokens of it."""
    if not isinstance(sentence, Aligned) or sentence.published is None:
        yield sentence
        return
    of_published = replace(
        sentence, role=role_in(sentence.role, PUBLISHED), modified=sentence.published, published=None
    )
    hidden = [[tuple(each) for each in hidden_in(one)] for one in (of_published, sentence)]
    if hidden[0] == hidden[1]:
        yield sentence
    else:
        yield of_published
        yield replace(sentence, role=role_in(sentence.role, CORRECTED), published=None)
