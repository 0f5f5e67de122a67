"""Sums over all pairs of vectors, without a loop over pairs or a table of them.

Arrays have a first axis of independent sets (draws), written S below.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating[Any]]
"""Of double precision, or single in draws."""

ROWS, COLUMNS = 512, 512
"""Pairs come in blocks of so many, which stay in the cache of a core."""

NOTHING = 16
"""Squared distances below so many roundings of the largest squared length of a block are taken as 0."""


def unit(vectors: Floats) -> Floats:
    """Vectors (…, D) over their lengths (equation 2); one of zeros stays as it is."""
    lengths: Floats = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(lengths == 0, 1, lengths)


def softmax(values: Floats) -> Floats:
    """Over the last axis."""
    raised = np.exp(values - values.max(axis=-1, keepdims=True))
    shares: Floats = raised / raised.sum(axis=-1, keepdims=True)
    return shares


def weight_totals(weights: Floats) -> Floats:
    """(S, n, k) → (S, k): Σ_{i<j} u_i u_j. By running sums: nothing cancels, however unequal the weights."""
    before = np.cumsum(weights[:, :-1], axis=1)
    totals: Floats = (before * weights[:, 1:]).sum(axis=1)
    return totals


def mean_gaps(vectors: Floats) -> Floats:
    """(S, n, D) → (S, D): by dimension the mean of |x_i − x_j| over pairs (equation 6), 0 without a pair.

    By sorting: Σ_{i<j} |x_i − x_j| = Σ (2i − n + 1) x_(i), i from 0.
    """
    sets, n, dimensions = vectors.shape
    if n < 2:
        return np.zeros((sets, dimensions))
    lanes = np.ascontiguousarray((vectors - vectors.mean(axis=1, keepdims=True)).swapaxes(1, 2))
    lanes.sort(axis=-1)
    gaps: Floats = lanes @ (2.0 * np.arange(n) - n + 1) / (n * (n - 1) / 2)
    return gaps


def pair_totals(vectors: Floats, weights: Floats | None = None) -> Floats:
    """Σ_{i<j} u_i u_j ‖x_i − x_j‖ of vectors (S, n, D) and weights (S, n, k), else of 1 → (S, k).

    Distances come from products (‖a‖² − 2ab + ‖b‖²) of vectors about their mean.
    """
    centred = vectors - vectors.mean(axis=1, keepdims=True)
    total = np.zeros((len(vectors), 1 if weights is None else weights.shape[2]))
    n = vectors.shape[1]
    for first in range(0, n, ROWS):
        rows = slice(first, min(first + ROWS, n))
        inside = _distances(centred[:, rows], centred[:, rows])
        np.einsum("sii->si", inside)[...] = 0
        total += _weighed(inside, rows, rows, weights) / 2
        for columns in _slices(rows.stop, n):
            total += _weighed(_distances(centred[:, rows], centred[:, columns]), rows, columns, weights)
    return total


def grouped_mean(vectors: Floats, size: int) -> Floats:
    """The mean of ‖x_i − x_j‖ over the pairs inside of groups of `size` vectors, (S, n, D) → (S,).

    An estimate of the mean over all pairs: groups are drawn at random, always the same, and every vector has
    as many pairs as another but for the last n mod `size`, which are left out. What this adds to the spread
    of the mean over draws is of the order of 1 / √(n size), where that itself is of the order of 1 / √n.
    """
    _, n, dimensions = vectors.shape
    order = np.random.default_rng(n).permutation(n)[: n // size * size]
    means = [
        pair_totals(one[order].reshape(-1, size, dimensions)).mean() / (size * (size - 1) / 2)
        for one in vectors
    ]
    return np.array(means)


def cross_totals(vectors: Floats, first: slice, second: slice) -> Floats:
    """The same without weights over pairs of one vector of `first` and one of `second` → (S,).

    The vectors should lie about 0: they are taken as they are.
    """
    total = np.zeros(len(vectors))
    for start in range(first.start, first.stop, ROWS):
        rows = slice(start, min(start + ROWS, first.stop))
        for columns in _slices(second.start, second.stop):
            total += _distances(vectors[:, rows], vectors[:, columns]).sum(axis=(1, 2))
    return total


def _slices(start: int, stop: int) -> Iterator[slice]:
    for begin in range(start, stop, COLUMNS):
        yield slice(begin, min(begin + COLUMNS, stop))


def _distances(first: Floats, second: Floats) -> Floats:
    """(S, a, D), (S, b, D) → (S, a, b)."""
    a = np.einsum("snd,snd->sn", first, first)[..., None]
    b = np.einsum("snd,snd->sn", second, second)[..., None]
    # the lengths ride along in the product, which saves two passes over the pairs
    left = np.concatenate([first, a, np.ones_like(a)], axis=2)
    right = np.concatenate([-2 * second, np.ones_like(b), b], axis=2)
    squares: Floats = left @ right.swapaxes(1, 2)
    nothing = (
        NOTHING
        * np.finfo(a.dtype).eps
        * np.maximum(a.max(axis=1, keepdims=True), b.max(axis=1, keepdims=True))
    )
    np.multiply(squares, squares > nothing, out=squares)
    return np.sqrt(squares, out=squares)


def _weighed(distances: Floats, rows: slice, columns: slice, weights: Floats | None) -> Floats:
    """Σ u_i d_ij u_j → (S, k)."""
    if weights is None:
        totals: Floats = distances.sum(axis=(1, 2))[:, None]
        return totals
    summed: Floats = np.einsum("snk,snk->sk", weights[:, rows], distances @ weights[:, columns])
    return summed
