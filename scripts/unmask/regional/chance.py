"""The null distribution of scores of regional bias, by permuted vectors.

Draw i has the generator of [seed, PERMUTED, i], so its numbers depend on nothing else.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from unmask.regional.bias import Rows, Scores, all_scores
from unmask.regional.hierarchy import Ints, Tree
from unmask.regional.pairs import Floats

PERMUTED = 1

BATCH = 1 << 22
"""Numbers of a batch of draws that are scored at once."""

TIED = 1e-5
"""Draws that come to as much but for this share are ties: they are scored in single precision."""


class Source(NamedTuple):
    """What a model makes of a tree, by the paper's protocol and by that of the released code."""

    rows: Rows
    padded: Rows | None
    protocols: tuple[str, ...]


def scores_of(tree: Tree, source: Source) -> Scores:
    """The model's own scores, (1, R) each."""
    return all_scores(tree, source.rows, source.padded, source.protocols)


def permuted_scores(tree: Tree, source: Source, draws: int, seed: int) -> Scores:
    """Scores of the model's own rows, permuted among the regions of each level: (draws, inner regions).

    Where the tree says nothing of what a model makes of a region, any permutation is as likely as the actual
    order.
    """

    parts = []
    for batch in _batches(draws, source.rows.f[0].size):
        orders = [permutation(tree, np.random.default_rng([seed, PERMUTED, i])) for i in batch]
        rows, padded = (
            rows and _stacked([Rows(rows.f[:, order], rows.names[:, order]) for order in orders])
            for rows in (source.rows, source.padded)
        )
        assert rows is not None
        parts.append(_inner(tree, all_scores(tree, rows, padded, source.protocols, grouped=True)))
    return _joined(parts)


def permutation(tree: Tree, generator: np.random.Generator) -> Ints:
    """For each region one of its level, each once."""
    order = np.arange(len(tree))
    for members in tree.members.values():
        order[members] = generator.permutation(members)
    return order


def _batches(draws: int, size: int) -> Iterator[range]:
    step = max(1, BATCH // size)
    for first in range(0, draws, step):
        yield range(first, min(first + step, draws))


def _stacked(draws: list[Rows]) -> Rows:
    """Draws as sets of one, in single precision, which halves the time."""
    f = np.concatenate([rows.f for rows in draws], dtype=np.float32)
    return Rows(f, np.concatenate([rows.names for rows in draws], dtype=np.float32))


def _inner(tree: Tree, scores: Scores) -> Scores:
    return {key: values[:, tree.inner] for key, values in scores.items()}


def _joined(parts: list[Scores]) -> Scores:
    if not parts:
        return {}
    return {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}


def quantiles(draws: Floats, shares: tuple[float, ...]) -> Floats:
    """(draws, n) → (shares, n), over the draws that have a score; nan where none has."""
    values = np.full((len(shares), draws.shape[1]), np.nan)
    scored = ~np.isnan(draws).all(axis=0)
    if scored.any():
        values[:, scored] = np.nanquantile(draws[:, scored], shares, axis=0)
    return values


def p_values(scores: Floats, draws: Floats) -> Floats:
    """(n,), (draws, n) → (n,): (1 + draws that come to as much or more) / (1 + draws); nan without a score.

    The model's own order counts as one, so p is never below 1 / (1 + draws): .0099 of 100.
    """
    reached = (draws >= scores - TIED * np.abs(scores)).sum(axis=0)
    p: Floats = (1 + reached) / (1 + len(draws))
    p[np.isnan(scores) | np.isnan(draws).any(axis=0)] = np.nan
    return p
