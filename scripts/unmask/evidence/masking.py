"""Maskings by their names (see unmask.evidence.maskings)."""

from collections.abc import Callable, Iterator

import numpy as np

from unmask.evidence.sentences import Positions, Sentence
from unmask.plugins import load
from unmask.terms import LEFT, NONE

MASKINGS = "evidence/maskings"
"""The folder of their modules (see unmask.plugins)."""


def hidden_positions(masking: str) -> Callable[[Sentence], Iterator[Positions]]:
    """What gives, for each time that a model reads a sentence, the positions hidden from it."""
    hidden: Callable[[Sentence], Iterator[Positions]] = load(MASKINGS, masking).hidden
    return hidden


def roles_of(masking: str) -> tuple[str, ...]:
    """The sentences of a pair that a masking is applied to."""
    roles: tuple[str, ...] = load(MASKINGS, masking).ROLES
    return roles


def predicted(masking: str, hidden: Positions, length: int) -> Positions:
    """The positions that are asked for where these are hidden from a sentence of so many tokens."""
    if masking in (NONE, LEFT):
        return np.arange(length)
    return hidden
