"""How gap and d vary with the words that a test happens to have: a bootstrap of its units.

Draws are seeded by (seed, set, test name).
"""

from typing import NamedTuple

import numpy as np

from unmask.associations.association import CONSTANT, Arm, Experiment, Floats
from unmask.associations.permutations import generator

BATCH = 1 << 21
"""Numbers of a batch of resamples that are held at once."""


class Resamples(NamedTuple):
    """(R, C) each, a row for each resample; d is nan where s does not vary in it."""

    # of the targets, with the attributes as they are
    gap: Floats
    d: Floats
    # of targets and attributes
    d_all: Floats


def resampled(experiment: Experiment, resamples: int, seed: int, name: str) -> Resamples:
    """Gap and d of as many units of X, Y, A and B as there are, drawn with replacement.

    Paired arms have the same targets in a resample; both arms always have the same attribute units. An
    attribute unit brings all its members, so that by word sets may become larger or smaller.
    """
    x, y = experiment.x, experiment.y
    s_x, s_y = x.s, y.s
    widest = max(s_x.shape[1], s_y.shape[1], len(x.a_sizes), len(x.b_sizes))
    step = max(1, BATCH // widest)
    of_set = {key: generator(seed, "bootstrap", key, name) for key in "XYAB"}
    parts = []
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        in_x = _copies(s_x.shape[1], rows, of_set["X"])
        in_y = in_x if experiment.paired else _copies(s_y.shape[1], rows, of_set["Y"])
        in_a = _copies(len(x.a_sizes), rows, of_set["A"])
        in_b = _copies(len(x.b_sizes), rows, of_set["B"])
        gap, d = _effects(_moments(in_x, s_x), _moments(in_y, s_y))
        d_all = np.empty_like(d)
        for column in range(len(s_x)):
            arms = (
                _resampled_moments(copies, arm, column, in_a, in_b) for copies, arm in ((in_x, x), (in_y, y))
            )
            d_all[:, column] = _effects(*arms)[1]
        parts.append((gap, d, d_all))
    return Resamples(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def interval(draws: Floats, confidence: float) -> tuple[Floats, Floats]:
    """(R, C) → (C,), (C,): quantiles of the draws that are numbers; nan where fewer than half are."""
    low, high = np.full((2, draws.shape[1]), np.nan)
    enough = 2 * np.isfinite(draws).sum(axis=0) >= max(1, len(draws))
    if enough.any():
        tail = (1 - confidence) / 2
        low[enough], high[enough] = np.nanquantile(draws[:, enough], (tail, 1 - tail), axis=0)
    return low, high


class _Moments(NamedTuple):
    """Number of targets, and sums of s and of its squares in each resample."""

    n: int
    total: Floats
    squares: Floats


def _copies(n: int, rows: int, numbers: np.random.Generator) -> Floats:
    """(rows, n): how often each of n is among n that are drawn."""
    indices = numbers.integers(n, size=(rows, n)) + n * np.arange(rows)[:, None]
    return np.bincount(indices.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)


def _moments(copies: Floats, s: Floats) -> _Moments:
    """Of s (C, n) in (R, n) copies: (R, C)."""
    return _Moments(s.shape[1], copies @ s.T, copies @ (s**2).T)


def _resampled_moments(copies: Floats, arm: Arm, column: int, in_a: Floats, in_b: Floats) -> _Moments:
    """The same with resampled attributes, of one column: (R,)."""
    tables = np.concatenate([arm.a[column], -arm.b[column]], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        # an arm without any of the drawn attributes has no s
        a = in_a / (in_a @ arm.a_sizes)[:, None]
        b = in_b / (in_b @ arm.b_sizes)[:, None]
        s = np.concatenate([a, b], axis=1) @ tables.T
    weighted = copies * s
    return _Moments(s.shape[1], weighted.sum(axis=1), np.einsum("rn,rn->r", weighted, s))


def _effects(x: _Moments, y: _Moments) -> tuple[Floats, Floats]:
    """Gap and d."""
    gap = x.total / x.n - y.total / y.n
    n = x.n + y.n
    variance = (x.squares + y.squares - (x.total + y.total) ** 2 / n) / (n - 1)
    deviation = np.sqrt(np.maximum(variance, 0))
    d = np.divide(gap, deviation, out=np.full_like(gap, np.nan), where=deviation >= CONSTANT)
    return gap, d
