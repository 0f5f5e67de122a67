"""Maskings by their names (see unmask.evidence.maskings)."""

from collections.abc import Callable, Iterator

from unmask.by_name import load
from unmask.evidence.sentences import Positions, Sentence

MASKINGS = "evidence/maskings"
"""The folder of their modules (see unmask.by_name)."""


def hiding(masking: str) -> Callable[[Sentence], Iterator[Positions]]:
    """What gives, for each time that a model reads a sentence, the positions hidden from it."""
    hidden: Callable[[Sentence], Iterator[Positions]] = load(MASKINGS, masking).hidden
    return hidden


def roles_of(masking: str) -> tuple[str, ...]:
    """The sentences of a pair that a masking is applied to."""
    roles: tuple[str, ...] = load(MASKINGS, masking).ROLES
    return roles
