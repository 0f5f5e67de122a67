"""How many partitions of targets, or of attributes, reach the observed sum.

Up to some 40 units all are counted by meeting in the middle (Horowitz & Sahni 1974): the sums of the subsets
of each half, by size and sorted, then for each sum of the one half a search in the other. Beyond, some are
drawn, for all columns alike.
"""

import hashlib
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unmask.associations.association import Floats

TIED = 1e-12
"""Sums that differ by less than this share of Σ|s| are ties."""

ROUNDING = 1e-6
"""The rounding error of s, as embeddings are in single precision."""

BATCH = 1 << 16
"""Keys that are drawn at once: they stay in the cache of a core."""

SUMS = 1 << 13
"""Draws whose sums are compared with the bounds at once."""

PUBLISHED_PARTITIONS = 100_000
"""The released code of sent-bias and bias-bench counts all of so many partitions, and else draws."""


def generator(seed: int, *names: str) -> np.random.Generator:
    """A random generator seeded by (seed, names) alone: neither by the order of tests nor by the process.

    Raises ValueError where the seed is negative.
    """
    digest = hashlib.sha256("\0".join(names).encode()).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:16])])


class Tails(NamedTuple):
    """p-values, (C,) each."""

    # share with the observed sum of X or more
    p: Floats
    # share that is as far from the expectation, on either side
    p_two: Floats
    # p, were all sums off by the rounding of embeddings
    p_low: Floats
    p_high: Floats
    # of all, or drawn
    partitions: int
    exact: bool


class _Bounds(NamedTuple):
    """Bounds of sums about their expectation, (C,) each."""

    one: Floats
    two: Floats
    low: Floats
    high: Floats


def partitions(values: Floats, size: int) -> Tails:
    """Of all partitions of values (C, n), the first `size` of which are X, into parts of these sizes.

    Time and memory grow with 2^(n/2): n is at most 40 or so.
    """
    centred, bounds = _partition_bounds(values, size)
    n = values.shape[1]
    half = n // 2
    counts = np.zeros((4, len(values)), dtype=np.int64)
    for column, row in enumerate(centred):
        first, second = _sums_by_size(row[:half]), _sums_by_size(row[half:])
        for part in range(max(0, size - (n - half)), min(size, half) + 1):
            counts[:, column] += _pairs(first[part], second[size - part], bounds, column)
    return _all_counted(counts, math.comb(n, size))


def drawn_partitions(
    values: Floats, size: int, draws: Sequence[int], generator: np.random.Generator
) -> list[Tails]:
    """The same of drawn partitions, with the observed one: (1 + count) / (1 + draws), so p is never 0.

    All columns are on the same draws. For each number of `draws` the tails of so many, the first of all.
    """
    columns, bounds = _partition_bounds(values, size)
    n = values.shape[1]

    batch = max(1, BATCH // n)
    # all batches use the same memory: to allocate it takes longer than to fill it
    keys, scratch = np.empty((2, batch, n))

    def sums(out: Floats) -> None:
        for start in range(0, len(out), batch):
            rows = min(batch, len(out) - start)
            batch_keys, ranked = keys[:rows], scratch[:rows]
            # the smallest keys are a random subset; in double precision two are hardly ever the same
            generator.random(out=batch_keys)
            ranked[:] = batch_keys
            ranked.partition(size - 1, axis=1)
            last = ranked[:, size - 1 : size].copy()
            np.less_equal(batch_keys, last, out=ranked)
            out[start : start + rows] = (columns @ ranked.T).T

    return _drawn_tails(sums, bounds, draws)


def published_draws(x: int, y: int) -> int:
    """How many partitions sent-bias and bias-bench draw, 0 where they count all: 99,999 of more than 100,000.

    Raises ValueError where X and Y are not of one size: there the released code breaks off.
    """
    if x != y:
        raise ValueError("the released code takes X and Y of one size")
    return 0 if math.comb(2 * x, x) <= PUBLISHED_PARTITIONS else PUBLISHED_PARTITIONS - 1


def _partition_bounds(values: Floats, size: int) -> tuple[Floats, _Bounds]:
    """Values about their mean, so that sums of all partitions have the expectation 0, and the bounds."""
    if not 0 < size < values.shape[1]:
        raise ValueError("both parts of a partition have members")
    centred = values - values.mean(axis=1, keepdims=True)
    slack = TIED * np.abs(values).sum(axis=1)
    return centred, _bounds(centred[:, :size].sum(axis=1), slack, ROUNDING * size)


def _bounds(sums: Floats, slack: Floats, rounding: float) -> _Bounds:
    return _Bounds(sums - slack, np.abs(sums) - slack, sums + rounding, sums - rounding)


def _subset_sums(values: Floats) -> Floats:
    """The sums of all subsets, in the order of binary numbers whose digits say what is in."""
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums, sums + value])
    return sums


def _sums_by_size(values: Floats) -> list[Floats]:
    """The sums of all subsets, by size and sorted."""
    sums = _subset_sums(values)
    sizes = np.bitwise_count(np.arange(len(sums)))
    return [np.sort(sums[sizes == size]) for size in range(len(values) + 1)]


def _pairs(first: Floats, second: Floats, bounds: _Bounds, column: int) -> list[int]:
    """How many sums of one of each, both sorted, pass each bound of a column."""

    def at_least(bound: float) -> int:
        return len(first) * len(second) - int(np.searchsorted(second, bound - first, side="left").sum())

    def at_most(bound: float) -> int:
        return int(np.searchsorted(second, bound - first, side="right").sum())

    one, two, low, high = (float(bound[column]) for bound in bounds)
    reached = at_least(one)
    # the bounds of one side and of two are the same where the observed sum is above its expectation
    above = reached if one == two else at_least(two)
    return [reached, above + at_most(-two), at_least(low), at_least(high)]


def _drawn_tails(sums: Callable[[Floats], None], bounds: _Bounds, draws: Sequence[int]) -> list[Tails]:
    """The tails of so many draws each, the first of all; sums fills (rows, C) with those of the next ones."""
    counts = np.zeros((4, len(bounds.one)), dtype=np.int64)
    buffer = np.empty((SUMS, len(bounds.one)))
    done = 0
    tails: dict[int, Tails] = {}
    for number in sorted(set(draws)):
        while done < number:
            part = buffer[: number - done]
            sums(part)
            done += len(part)
            for count, tested, bound in zip(counts, (part, np.abs(part), part, part), bounds, strict=True):
                count += (tested >= bound).sum(axis=0)
        tails[number] = _tails((1 + counts) / (1 + number), number, exact=False)
    return [tails[number] for number in draws]


def _all_counted(counts: npt.NDArray[np.int64], total: int) -> Tails:
    # the observed one reaches itself, whatever the rounding, and none counts on both sides
    return _tails(np.clip(counts, 1, total) / total, total, exact=True)


def _tails(shares: Floats, number: int, exact: bool) -> Tails:
    one, two, low, high = shares
    return Tails(one, two, low, high, number, exact)
