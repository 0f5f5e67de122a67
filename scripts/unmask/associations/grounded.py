"""Grounded tests (Ross, Katz & Barbu 2021): attributes are seen with pictures of X and with pictures of Y.

Cells A_X, A_Y, B_X, B_Y hold the attributes of A and B by whose picture is seen with them. Of the means
x1 = mean_X s(·; A_X, B_X), x2 = mean_X s(·; A_Y, B_Y), and y1, y2 of Y alike:

- E1 compares X with Y on A_X ∪ A_Y and B_X ∪ B_Y.
- E2 compares x1 with y2: each side with its own pictures.
- E3x compares x1 with x2, E3y y1 with y2: the same targets with the one and the other pictures.

p of E1 is over partitions of target words, each with its s as it is. E2 has none: all targets may happen to
be nearer to the pictures of X, which no partition of targets changes, so it would be called significant.
p of E3 is over partitions of the differences that pictures make to attribute words, into A and B: its gap is
how much more they do to A than to B, and what they do to all words alike is no part of it.

With cells of one size, E2 = E1 + (E3x + E3y) / 2 in gaps.
"""

import itertools
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from unmask.associations.association import Arm, Experiment, Floats
from unmask.associations.terms import E1, E2, E3X, E3Y, A, B, X, Y


class Cell(NamedTuple):
    """The cosines of both sets of targets with the attributes of one cell, summed by attribute unit.

    Cells of one attribute set have the same units in the same order; sizes are 0 where a cell has none.
    """

    # (C, |X|, units) and (C, |Y|, units)
    x: Floats
    y: Floats
    # (units,)
    sizes: Floats


class Means(NamedTuple):
    """The 2×2 of a grounded test, (C,) each: mean s of targets with pictures."""

    # X with pictures of X and of Y
    x1: Floats
    x2: Floats
    # Y with pictures of X and of Y
    y1: Floats
    y2: Floats


def experiments(a: Mapping[str, Cell], b: Mapping[str, Cell]) -> list[Experiment]:
    """E1, E2, E3x and E3y of cells of A and of B by whose pictures they are of, X and Y."""
    x1, x2 = (Arm(a[owner].x, b[owner].x, a[owner].sizes, b[owner].sizes) for owner in "XY")
    y1, y2 = (Arm(a[owner].y, b[owner].y, a[owner].sizes, b[owner].sizes) for owner in "XY")
    return [
        Experiment(E1, _united(x1, x2), _united(y1, y2)),
        Experiment(E2, x1, y2),
        Experiment(E3X, x1, x2, paired=True),
        Experiment(E3Y, y1, y2, paired=True),
    ]


def means(a: Mapping[str, Cell], b: Mapping[str, Cell]) -> Means:
    """The 2×2 of the same cells."""
    _, _, x, y = experiments(a, b)
    return Means(*(arm.s.mean(axis=1) for arm in (x.x, x.y, y.x, y.y)))


ALONE = "alone"
"""Of pictures that show the words of their cell, and none of the other sets."""


class CellMeans(NamedTuple):
    """Mean s of the targets of one cell, (C,) each; None where the attributes have no such cells."""

    # X or Y
    words: str
    # what they are pictured with: ALONE, or A or B
    pictured_with: str
    # by what the attributes are pictured with: nothing else, X or Y
    alone: Floats | None
    with_x: Floats | None
    with_y: Floats | None


def cell_means(centres: Mapping[str, Floats]) -> list[CellMeans]:
    """Mean s of each cell of targets by the pictures of the attributes: all twelve cells of Table 2 of Ross,
    Katz & Barbu (2021), where there are as many.

    centres: the mean of the unit vectors of each cell there is, (C, D), over its units and of each over its
    texts; their products are the mean cosines. Of the cells of one picture with another set's words, the name
    has both (X_A, A_X). With own pictures of targets, `with_x` and `with_y` are x1, x2, y1 and y2 of `means`.
    """
    of_cells = []
    for words, pictured_with in itertools.product((X, Y), (ALONE, A, B)):
        if (target := centres.get(_cell(words, pictured_with))) is None:
            continue
        near = []
        for owner in (ALONE, X, Y):
            a, b = (centres.get(_cell(attribute, owner)) for attribute in (A, B))
            near.append(None if a is None or b is None else np.einsum("cd,cd->c", target, a - b))
        of_cells.append(CellMeans(words, pictured_with, *near))
    return of_cells


def _cell(words: str, pictured_with: str) -> str:
    return words if pictured_with == ALONE else f"{words}_{pictured_with}"


def _united(first: Arm, second: Arm) -> Arm:
    return Arm(*(np.add(one, other) for one, other in zip(first, second, strict=True)))
