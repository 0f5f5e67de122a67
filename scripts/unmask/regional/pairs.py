"""Sums over all pairs of vectors, without a loop over pairs or a table of them.

Arrays have a first axis of independent sets (draws, resamples, worlds), written S below; where one of two
arrays has one set alone, it stands for all sets of the other.
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


def mean_of(vectors: Floats, copies: Floats | None = None) -> Floats:
    """(S, n, D) → (S, D): the mean over vectors, each counted `copies` (S, n) times."""
    if copies is None:
        plain: Floats = vectors.mean(axis=1)
        return plain
    sums = copies @ vectors[0] if len(vectors) == 1 else (copies[:, None] @ vectors)[:, 0]
    mean: Floats = sums / copies.sum(axis=1)[:, None]
    return mean


def weight_totals(weights: Floats) -> Floats:
    """(S, n, k) → (S, k): Σ_{i<j} u_i u_j. By running sums: nothing cancels, however unequal the weights."""
    before = np.cumsum(weights[:, :-1], axis=1)
    totals: Floats = (before * weights[:, 1:]).sum(axis=1)
    return totals


def mean_gaps(vectors: Floats, copies: Floats | None = None) -> Floats:
    """(S, n, D) → (S, D): by dimension the mean of |x_i − x_j| over pairs (equation 6), 0 without a pair.

    By sorting: Σ_{i<j} |x_i − x_j| = Σ (2i − n + 1) x_(i), i from 0. With `copies` (S, n) a pair counts m_i
    m_j times, and copies of one vector are no pair: then i is the number of copies that come before.
    """
    sets, n, dimensions = vectors.shape
    if n < 2:
        return np.zeros((sets if copies is None else max(sets, len(copies)), dimensions))
    lanes = np.ascontiguousarray((vectors - vectors.mean(axis=1, keepdims=True)).swapaxes(1, 2))
    if copies is None:
        lanes.sort(axis=-1)
        gaps: Floats = lanes @ (2.0 * np.arange(n) - n + 1) / (n * (n - 1) / 2)
        return gaps
    order = lanes.argsort(axis=-1)
    lanes = np.take_along_axis(lanes, order, axis=-1)
    pairs = weight_totals(copies[:, :, None])[:, 0]
    totals = np.empty((len(copies), dimensions))
    for i, counted in enumerate(copies):
        of_set = i if sets > 1 else 0
        weights = counted[order[of_set]]
        before = np.cumsum(weights, axis=-1) - weights
        totals[i] = np.einsum("dn,dn->d", weights * lanes[of_set], 2 * before + weights - counted.sum())
    return np.divide(totals, pairs[:, None], out=np.zeros_like(totals), where=pairs[:, None] > 0)


def pair_totals(vectors: Floats, weights: Floats | None = None) -> Floats:
    """Σ_{i<j} u_i u_j ‖x_i − x_j‖ of vectors (S, n, D) and weights (S, n, k), else of 1 → (S, k).

    Distances come from products (‖a‖² − 2ab + ‖b‖²) of vectors about their mean.
    """
    centred = vectors - vectors.mean(axis=1, keepdims=True)
    shape = (len(vectors), 1) if weights is None else _shape(vectors, weights)
    total = np.zeros(shape)
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


def cross_totals(vectors: Floats, first: slice, second: slice, weights: Floats | None = None) -> Floats:
    """The same over pairs of one vector of `first` and one of `second`.

    The vectors should lie about 0: they are taken as they are.
    """
    shape = (len(vectors), 1) if weights is None else _shape(vectors, weights)
    total = np.zeros(shape)
    for start in range(first.start, first.stop, ROWS):
        rows = slice(start, min(start + ROWS, first.stop))
        for columns in _slices(second.start, second.stop):
            total += _weighed(_distances(vectors[:, rows], vectors[:, columns]), rows, columns, weights)
    return total


def _shape(vectors: Floats, weights: Floats) -> tuple[int, int]:
    return max(len(vectors), len(weights)), weights.shape[2]


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
    if len(distances) == 1:
        # one product for all sets of weights
        sets, _, k = weights.shape
        right = weights[:, columns].swapaxes(0, 1).reshape(-1, sets * k)
        left = weights[:, rows].swapaxes(0, 1).reshape(-1, sets * k)
        products: Floats = np.einsum("nk,nk->k", left, distances[0] @ right).reshape(sets, k)
        return products
    summed: Floats = np.einsum("snk,snk->sk", weights[:, rows], distances @ weights[:, columns])
    return summed
