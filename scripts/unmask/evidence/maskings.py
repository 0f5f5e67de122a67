"""Maskings by name: what is hidden from a model, and so which tokens it has to predict.

Masking `none` predicts every token, special ones too; the others predict what they hide. Those of causal
language models hide nothing, as the model hides what follows by itself, and have other inputs
(unmask.evidence.collecting): `left` the sentence as it is, of which every token but the first is predicted
from those before it; `start` the start token alone, behind which each token of the text is asked for.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from unmask.evidence.sentences import Ids, Sentence
from unmask.terms import ALL, LEFT, MODIFIED, NONE, ONE_MODIFIED, ONE_SHARED, ROLES, SIDES, START

Hidden = Iterable[Ids]
"""The positions that are hidden together, for each time that a model reads a sentence."""


@dataclass(frozen=True)
class Masking:
    """What is hidden of the sentences that stand in `roles` in their pairs."""

    roles: tuple[str, ...]
    hidden: Callable[[Sentence], Hidden]


def _nothing(_: Sentence) -> Hidden:
    return [np.array([], dtype=np.int64)]


def _all(sentence: Sentence) -> Hidden:
    """Every token of the text, hidden together."""
    return [np.flatnonzero(~sentence.special)]


def _modified(sentence: Sentence) -> Hidden:
    """The tokens that a sentence does not share, hidden together."""
    positions = _sharing(sentence, modified=True)
    return [positions] if positions.size else []


def _one_shared(sentence: Sentence) -> Hidden:
    """Each token that the two sentences share, hidden in turn."""
    return _sharing(sentence, modified=False)[:, None]


def _one_modified(sentence: Sentence) -> Hidden:
    """Each token that the two sentences do not share, hidden in turn."""
    return _sharing(sentence, modified=True)[:, None]


def _behind_start(sentence: Sentence) -> Hidden:
    """Without a start token there is nothing for a token to stand behind."""
    return _all(sentence) if sentence.special[0] else []


def _sharing(sentence: Sentence, modified: bool) -> Ids:
    """Where the modified tokens of a text are, or those that it shares; ValueError where it shares none."""
    if sentence.modified is None:
        raise ValueError(f"pair {sentence.pair_id}: the {sentence.role} sentence shares tokens with none")
    return np.flatnonzero((sentence.modified == modified) & ~sentence.special)


MASKINGS = {
    NONE: Masking(ROLES, _nothing),
    ALL: Masking(SIDES, _all),
    MODIFIED: Masking(ROLES, _modified),
    ONE_SHARED: Masking(SIDES, _one_shared),
    ONE_MODIFIED: Masking(SIDES, _one_modified),
    LEFT: Masking(ROLES, _nothing),
    START: Masking(SIDES, _behind_start),
}


def predicted(masking: str, hidden: Ids, length: int) -> Ids:
    """The positions that are asked for where these are hidden from a sentence of so many tokens."""
    return np.arange(length) if masking in (NONE, LEFT) else hidden
