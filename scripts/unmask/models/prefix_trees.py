"""Token sequences laid out as trees, in which a beginning that several share stands once.

A decoder reads a token after those before it. So the tokens of several sequences may stand in one row: each
sees those on its own path from the root alone, and its position is its depth in the tree.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]

LONGEST = 96
"""Tokens of a row with several sequences. In longer ones attention costs more than sharing saves."""


@dataclass
class TreeRow:
    """Sequences in one row of tokens."""

    ids: list[int] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    """How many tokens stand before each in its sequence."""
    parent: list[int] = field(default_factory=list)
    """Where the token before it stands in the row; -1 for the first of a sequence."""
    sequences: list[int] = field(default_factory=list)
    """Their numbers."""
    paths: list[list[int]] = field(default_factory=list)
    """Of each sequence, where its tokens stand in the row."""

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def branches(self) -> bool:
        """Whether a token stands behind another than the one to its left."""
        return self.depth != list(range(len(self)))

    def add(self, number: int, sequence: Sequence[int], shared: int) -> None:
        """Add a sequence that has its first `shared` tokens in common with the last one."""
        path = self.paths[-1][:shared] if shared else []
        for depth in range(shared, len(sequence)):
            self.parent.append(path[-1] if path else -1)
            path.append(len(self))
            self.ids.append(sequence[depth])
            self.depth.append(depth)
        self.sequences.append(number)
        self.paths.append(path)


def tree_rows(sequences: Sequence[tuple[int, ...]], longest: int = LONGEST) -> list[TreeRow]:
    """Rows of at most `longest` tokens, the longest row first; a longer sequence has a row for itself."""
    rows: list[TreeRow] = []
    before: tuple[int, ...] = ()
    # in this order what has most in common stands together
    for number in sorted(range(len(sequences)), key=sequences.__getitem__):
        sequence = sequences[number]
        shared = _shared(before, sequence)
        further = len(sequence) - shared
        if not rows or (further and len(rows[-1]) + further > longest):
            rows.append(TreeRow())
            shared = 0
        rows[-1].add(number, sequence, shared)
        before = sequence
    return sorted(rows, key=len, reverse=True)


def _shared(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens two sequences have in common at their beginnings."""
    pairs = zip(one, other, strict=False)
    return next(
        (place for place, (a, b) in enumerate(pairs) if a != b),
        min(len(one), len(other)),
    )


@dataclass(frozen=True)
class Trees:
    """Rows of tokens, filled up on the right to the length of the longest."""

    ids: Indices
    """rows × length"""
    depth: Indices
    """rows × length: the position of each token in its sequences"""
    sees: npt.NDArray[np.bool_]
    """rows × length × length: whether a token (second axis) sees another (third). No token of a sequence sees
    what fills up its row."""


def stacked(rows: Sequence[TreeRow]) -> Trees:
    """Rows as arrays."""
    length = max(len(row) for row in rows)
    ids, depth = (np.zeros((len(rows), length), dtype=np.int64) for _ in range(2))
    # each token sees itself
    sees = np.repeat(np.eye(length, dtype=np.bool_)[None], len(rows), axis=0)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row.ids
        depth[number, : len(row)] = row.depth
        for token, parent in enumerate(row.parent):
            if parent >= 0:
                sees[number, token] |= sees[number, parent]
    return Trees(ids, depth, sees)
