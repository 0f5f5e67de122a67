"""Maskings by their names (see unmask.evidence.maskings)."""

from collections.abc import Callable, Iterator

from unmask.evidence.sentences import Positions, Sentence
from unmask.plugins import load

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
