"""What a unit is: every text, or a word, for which the mean over its texts stands.

Eight templates of a name are not eight observations: partitions of texts take what a word adds to all of its
texts for as many findings, and reject too often. By word each word is one finding.
"""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from unmask.associations.association import Floats, Ints


class Units(NamedTuple):
    """Which of n members are of each of k units."""

    # (n,): the members, those of a unit together
    order: Ints
    # (k,): where each unit begins in `order`; none is empty
    starts: Ints
    # (k,)
    sizes: Ints


def each(n: int) -> Units:
    """Every member is a unit."""
    return Units(np.arange(n), np.arange(n), np.ones(n, dtype=np.int64))


def alike(keys: Sequence[Hashable]) -> Units:
    """Members with one key are a unit; units are in the order in which their keys first appear."""
    numbers: dict[Hashable, int] = {}
    codes = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
    sizes = np.bincount(codes, minlength=len(numbers))
    return Units(np.argsort(codes, kind="stable"), np.cumsum(sizes) - sizes, sizes)


def sums(values: Floats, units: Units, axis: int) -> Floats:
    """The sum over the members of each unit: n of `axis` become k."""
    totals: Floats = np.add.reduceat(values.take(units.order, axis=axis), units.starts, axis=axis)
    return totals


def means(values: Floats, units: Units, axis: int) -> Floats:
    """The mean over the members of each unit."""
    shape = [1] * values.ndim
    shape[axis] = -1
    averages: Floats = sums(values, units, axis) / units.sizes.reshape(shape)
    return averages
