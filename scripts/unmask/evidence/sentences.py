"""Sentences as a model reads them: token ids, special tokens, what a pair shares, and what is hidden.

Masking `none` predicts every token, special ones too; the others predict what they hide. Those of causal
language models hide nothing, as the model hides what follows by itself, and have other inputs
(unmask.evidence.collecting): `left` the sentence as it is, of which every token but the first is predicted
from those before it; `start` the start token alone, behind which each token of the text is asked for.
"""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

import numpy as np
import numpy.typing as npt

from unmask.terms import ALL, LEFT, MODIFIED, NONE, ONE_MODIFIED, ONE_SHARED, ROLES, SIDES, START

Ids = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Sentence:
    """One tokenised sentence of a pair; arrays have its length in tokens."""

    pair_id: str
    role: str
    ids: Ids
    special: Mask
    """Tokens that the tokenizer put around the text."""
    modified: Mask | None = None
    """Tokens outside those that it shares: with the other sentence of the pair, or, unrelated, with the
    stereotypical one. None where that means nothing, as in a shuffled sentence."""
    source: Ids | None = None
    """For a shuffled sentence: where each token stood before."""


Pair = dict[str, Sentence]
"""The sentences of a pair by role."""


def modified_tokens(first: Ids, second: Ids) -> tuple[Mask, Mask]:
    """Which tokens of two sequences are outside the longest matching blocks that they share.

    The alignment is Ratcliff and Obershelp's, as difflib has it: the longest block that both sequences have,
    then the same to its left and to its right. The published CrowS-Pairs code leaves on difflib's exception
    for tokens that are frequent in 200 tokens or more, which no pair of CrowS-Pairs or StereoSet has.
    """
    masks = np.ones(len(first), dtype=bool), np.ones(len(second), dtype=bool)
    matcher = SequenceMatcher(None, first.tolist(), second.tolist(), autojunk=False)
    for block in matcher.get_matching_blocks():
        masks[0][block.a : block.a + block.size] = False
        masks[1][block.b : block.b + block.size] = False
    return masks


def shuffle_tokens(sentence: Sentence, seed: int) -> Sentence:
    """The sentence with its tokens in random order, special tokens left where they are.

    The order depends on the seed, the pair and the number of tokens alone, so the two sides of a
    pair, where equally long, are shuffled alike.
    """
    pair_digest = int.from_bytes(hashlib.sha256(sentence.pair_id.encode()).digest()[:8], "big")
    movable = np.flatnonzero(~sentence.special)
    source = np.arange(len(sentence.ids))
    source[movable] = np.random.default_rng([seed, pair_digest]).permutation(movable)
    return replace(sentence, ids=sentence.ids[source], modified=None, source=source)


Hidden = Iterable[Ids]
"""The positions that are hidden together, for each time that a model reads a sentence."""


@dataclass(frozen=True)
class Masking:
    """What is hidden of the sentences that stand in `roles` in their pairs."""

    roles: tuple[str, ...]
    hidden: Callable[[Sentence], Hidden]


def _nothing(_: Sentence) -> Hidden:
    return [np.array([], dtype=np.int64)]


def _text(sentence: Sentence) -> Hidden:
    return [np.flatnonzero(~sentence.special)]


def _sharing(sentence: Sentence, modified: bool) -> Ids:
    """Where the modified tokens of a text are, or those that it shares; ValueError where it shares none."""
    if sentence.modified is None:
        raise ValueError(f"pair {sentence.pair_id}: the {sentence.role} sentence shares tokens with none")
    return np.flatnonzero((sentence.modified == modified) & ~sentence.special)


MASKINGS = {
    NONE: Masking(ROLES, _nothing),
    ALL: Masking(SIDES, _text),
    MODIFIED: Masking(ROLES, lambda sentence: filter(len, [_sharing(sentence, modified=True)])),
    # each token in turn
    ONE_SHARED: Masking(SIDES, lambda sentence: _sharing(sentence, modified=False)[:, None]),
    ONE_MODIFIED: Masking(SIDES, lambda sentence: _sharing(sentence, modified=True)[:, None]),
    LEFT: Masking(ROLES, _nothing),
    # without a start token there is nothing for a token to stand behind
    START: Masking(SIDES, lambda sentence: _text(sentence) if sentence.special[0] else []),
}


def predicted(masking: str, hidden: Ids, length: int) -> Ids:
    """The positions that are asked for where these are hidden from a sentence of so many tokens."""
    return np.arange(length) if masking in (NONE, LEFT) else hidden
