"""The tree of regions as numbers: who lies in whom, in an order in which every region's part is one piece."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.errors import InputError

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Tree:
    """Regions in depth-first order: a region, then all that lie in it, children in the order of their rows.

    Region 0 is the root. The regions of region i, itself among them, are i to end[i], so a loop from the
    last region to the first meets children before parents.
    """

    regions: list[str]
    names: list[str]
    levels: list[str]
    # position in the table of regions
    rows: Ints
    # -1 for the root
    parents: Ints
    end: Ints
    children: list[Ints]
    # regions of a level none of whose regions has children
    leaf: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.regions)

    @cached_property
    def inner(self) -> Ints:
        """The regions that are scored: all but those of levels without children."""
        return np.flatnonzero(~self.leaf)

    @cached_property
    def counts(self) -> Ints:
        """The number of children of each region."""
        return np.array([len(below) for below in self.children])

    @cached_property
    def members(self) -> dict[str, Ints]:
        """The regions of each level without the root, levels in order of appearance."""
        levels = np.array(self.levels)[1:]
        return {str(level): 1 + np.flatnonzero(levels == level) for level in pd.unique(levels)}


def tree_of(regions: pd.DataFrame) -> Tree:
    """The tree of a table REGIONS, whatever the order of its rows.

    Raises InputError where there is not one root, a region is there twice, a parent is none of the regions,
    or regions lie in each other.
    """
    labels = regions["region"].astype(str).tolist()
    parents = regions["parent"].astype(object).tolist()
    row_of = {region: row for row, region in enumerate(labels)}
    if len(row_of) < len(labels):
        twice = regions["region"][regions["region"].duplicated()].iloc[0]
        raise InputError(f"regions: {twice!r} is there twice")
    has_parent = regions["parent"].notna().to_numpy()
    if (~has_parent).sum() != 1:
        raise InputError(
            f"regions: {(~has_parent).sum()} regions lie in no other; there must be one, the root"
        )
    rows_in: dict[int, list[int]] = {}
    for row in np.flatnonzero(has_parent):
        parent = str(parents[row])
        if parent not in row_of:
            raise InputError(f"regions: {labels[row]!r} lies in {parent!r}, which is none of the regions")
        rows_in.setdefault(row_of[parent], []).append(int(row))
    return _numbered(regions, int(np.flatnonzero(~has_parent)[0]), rows_in)


def _numbered(regions: pd.DataFrame, root: int, rows_in: dict[int, list[int]]) -> Tree:
    order = []
    waiting = [root]
    while waiting:
        row = waiting.pop()
        order.append(row)
        waiting.extend(reversed(rows_in.get(row, ())))
    if len(order) < len(regions):
        lost = regions["region"].iloc[min(set(range(len(regions))) - set(order))]
        raise InputError(f"regions: {lost!r} lies in itself, by way of its parents")
    number = {row: i for i, row in enumerate(order)}
    children = [np.array([number[row] for row in rows_in.get(row, ())], np.int64) for row in order]
    parents = np.full(len(order), -1)
    end = np.arange(1, len(order) + 1)
    for region in reversed(range(len(order))):
        if len(children[region]):
            parents[children[region]] = region
            end[region] = end[children[region][-1]]
    ordered = regions.iloc[order]
    levels = [str(level) for level in ordered["level"]]
    with_children = {level for level, below in zip(levels, children, strict=True) if len(below)}
    return Tree(
        regions=[str(region) for region in ordered["region"]],
        names=[str(name) for name in ordered["name"]],
        levels=levels,
        rows=np.array(order, np.int64),
        parents=parents,
        end=end,
        children=children,
        leaf=np.array([level not in with_children for level in levels]),
    )


def four_levels(tree: Tree, levels: Sequence[str]) -> None:
    """Raise InputError unless each region has the level of its depth; `levels` are from the root down."""
    depth = np.zeros(len(tree), np.int64)
    for region in range(1, len(tree)):
        depth[region] = depth[tree.parents[region]] + 1
    for region in range(len(tree)):
        if depth[region] >= len(levels) or tree.levels[region] != levels[depth[region]]:
            raise InputError(
                f"variants: `published` needs the levels {', '.join(levels)}, each in the one before, but "
                f"{tree.regions[region]!r} of the regions is a {tree.levels[region]} at depth {depth[region]}"
            )
