"""The sets of one test, as texts with vectors, and the experiments that they make by item or by word.

A unit is a text, or a word with the mean over its texts. Eight templates of a name are not eight
observations: partitions of texts count the effect of a word on all its texts as many findings, and reject too
often. By word each word is one observation.
"""

from collections.abc import Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd

from unmask.associations.association import Arm, Experiment, Floats, Ints
from unmask.associations.grounded import Cell, CellMeans, Means, cell_means, experiments, means
from unmask.associations.terms import BY_WORD, ITEM, SETS, WEAT, A, B, X, Y

OWN = {X: (None, X, f"{X}_{X}"), Y: (None, Y, f"{Y}_{Y}")}
"""Cells of targets that experiments take: without a picture, or with one of their own set."""


CELLS = [f"{attribute}_{owner}" for attribute in (A, B) for owner in (X, Y)]
"""Cells of attributes in grounded tests."""

FURTHER = [
    *(f"{target}_{attribute}" for target in (X, Y) for attribute in (A, B)),
    A,
    B,
]
"""Cells that no experiment takes."""


class Units(NamedTuple):
    """Which of n members are of each of k units."""

    # (n,): the members, those of a unit together
    order: Ints
    # (k,): where each unit begins in `order`; none is empty
    starts: Ints
    # (k,)
    sizes: Ints


def singly(n: int) -> Units:
    """Every member is a unit."""
    return Units(np.arange(n), np.arange(n), np.ones(n, dtype=np.int64))


def units_by(keys: Sequence[Hashable]) -> Units:
    """Members with one key are a unit; units are in the order in which their keys first appear."""
    numbers: dict[Hashable, int] = {}
    codes = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
    sizes = np.bincount(codes, minlength=len(numbers))
    return Units(np.argsort(codes, kind="stable"), np.cumsum(sizes) - sizes, sizes)


def unit_sums(values: Floats, units: Units, axis: int) -> Floats:
    """The sum over the members of each unit: n of `axis` become k."""
    totals: Floats = np.add.reduceat(values.take(units.order, axis=axis), units.starts, axis=axis)
    return totals


def unit_means(values: Floats, units: Units, axis: int) -> Floats:
    """The mean over the members of each unit."""
    shape = [1] * values.ndim
    shape[axis] = -1
    averages: Floats = unit_sums(values, units, axis) / units.sizes.reshape(shape)
    return averages


class Sets(NamedTuple):
    """A test's texts by set, attributes of grounded tests in all cells: each once, in a fixed order."""

    members: dict[str, pd.DataFrame]
    grounded: bool
    # all cells of a grounded test that has others than the experiments take; else none
    cells: Mapping[str, pd.DataFrame] = MappingProxyType({})

    def units(self, name: str, level: str) -> int:
        """How many units a set has."""
        members = self.members[name]
        return len(set(_keys(members))) if level == BY_WORD else len(members)

    def has_words(self) -> bool:
        """Whether every target's word is known."""
        return all(self.members[name]["word"].notna().all() for name in (X, Y))

    def words_are_items(self) -> bool:
        """Whether every word has one text, so that both levels are the same."""
        return not self.grounded and all(self.units(name, ITEM) == self.units(name, BY_WORD) for name in SETS)

    def empty(self) -> list[str]:
        """Sets, and cells of grounded attributes, that have no text."""
        empty = [name for name in SETS if self.members[name].empty]
        if self.grounded:
            cells = {cell for name in (A, B) for cell in self.members[name]["cell"]}
            empty += [cell for cell in CELLS if cell not in cells and cell[0] not in empty]
        return empty


def ordered(stimuli: pd.DataFrame) -> pd.DataFrame:
    """STIMULI in an order by their words and texts, so that a file's changes neither draws nor roundings.

    Tests stay in their order. A text that stands in a set twice counts once, as sets have it; with a picture
    as often as it stands there: the reader of the format decides how often it does.
    """
    keys = ["test", "set", "cell", "word", "text", "image", "stimulus"]
    first = stimuli[stimuli["image"].notna() | ~stimuli.duplicated(["test", "set", "cell", "stimulus"])]
    tests = pd.Categorical(first["test"], categories=first["test"].unique())
    in_order = first.assign(test=tests).sort_values(keys, kind="stable")
    # plain objects are taken apart by test and set faster than the strings of a table
    return in_order.astype(object).assign(stimulus=in_order["stimulus"])


def sets_of(stimuli: pd.DataFrame) -> Sets:
    """The sets of one test, rows of STIMULI as `ordered`. Cells that no experiment takes are left out."""
    grounded = bool(stimuli["cell"].isin(CELLS).any())
    cells = stimuli["cell"].astype(object).where(stimuli["cell"].notna(), None)
    members = {name: stimuli[stimuli["set"].eq(name)] for name in SETS}
    for name, cells_of_set in OWN.items():
        members[name] = members[name][[cell in cells_of_set for cell in cells[members[name].index]]]
    if grounded:
        for name in (A, B):
            members[name] = members[name][members[name]["cell"].isin(CELLS)]
    if not grounded or not cells.isin(FURTHER).any():
        return Sets(members, grounded)
    by_cell = {X: members[X], Y: members[Y]}
    by_cell |= {cell: stimuli[cells.eq(cell)] for cell in (*CELLS, *FURTHER)}
    return Sets(members, grounded, {cell: rows for cell, rows in by_cell.items() if len(rows)})


class AtLevel(NamedTuple):
    """The experiments of a test at one level, the 2×2 of a grounded one, and where it has more cells all."""

    experiments: list[Experiment]
    means: Means | None
    cells: Sequence[CellMeans] = ()


def experiments_at(level: str, sets: Sets, vectors: Floats) -> AtLevel:
    """The experiments of one test, of unit vectors (C, stimuli, D).

    By word, s of a target word is the mean over its texts, and attribute units are words: each brings all
    its texts, and in a grounded test has one mean in each cell.
    """
    rows = {name: members["stimulus"].to_numpy(np.int64) for name, members in sets.members.items()}
    targets = {
        name: units_by(_keys(sets.members[name])) if level == BY_WORD else singly(len(rows[name]))
        for name in (X, Y)
    }
    if sets.grounded:
        a, b = (_cells_of(sets.members[name], level, vectors, rows, targets) for name in (A, B))
        centres = {cell: _centre(rows_of, level, vectors) for cell, rows_of in sets.cells.items()}
        return AtLevel(experiments(a, b), means(a, b), cell_means(centres))
    tables = {}
    for attribute in (A, B):
        members = sets.members[attribute]
        units = units_by(_keys(members)) if level == BY_WORD else singly(len(members))
        membership = _membership(units)
        for target in (X, Y):
            table = _table(vectors, rows[target], rows[attribute], targets[target])
            tables[target + attribute] = table if level != BY_WORD else table @ membership
        tables[attribute] = membership.sum(axis=0)
    x, y = (Arm(tables[name + A], tables[name + B], tables[A], tables[B]) for name in (X, Y))
    return AtLevel([Experiment(WEAT, x, y)], None)


def _centre(members: pd.DataFrame, level: str, vectors: Floats) -> Floats:
    """(C, D): the mean over units, of each over its texts."""
    units = units_by(_keys(members)) if level == BY_WORD else singly(len(members))
    of_units = unit_means(vectors[:, members["stimulus"].to_numpy(np.int64)], units, axis=1)
    centre: Floats = of_units.mean(axis=1)
    return centre


def _cells_of(
    members: pd.DataFrame, level: str, vectors: Floats, rows: dict[str, Ints], targets: dict[str, Units]
) -> dict[str, Cell]:
    """The cells of an attribute set by whose pictures they are of. Units are words at either level."""
    membership = _membership(units_by(_keys(members)))
    owners = members["cell"].str[-1].to_numpy()
    stimuli = members["stimulus"].to_numpy(np.int64)
    cells = {}
    for owner in (X, Y):
        of_owner = membership[owners == owner]
        sizes = of_owner.sum(axis=0)
        if level == BY_WORD:
            of_owner, sizes = of_owner / np.maximum(sizes, 1), np.minimum(sizes, 1)
        x, y = (
            _table(vectors, rows[name], stimuli[owners == owner], targets[name]) @ of_owner for name in (X, Y)
        )
        cells[owner] = Cell(x, y, sizes)
    return cells


def _table(vectors: Floats, targets: Ints, attributes: Ints, units: Units) -> Floats:
    """(C, target units, attributes): mean cosines of a target unit's texts with each attribute."""
    # a mean of unit vectors has the mean of their cosines
    centres = unit_means(vectors[:, targets], units, axis=1)
    mean_cosines: Floats = centres @ vectors[:, attributes].transpose(0, 2, 1)
    return mean_cosines


def _membership(units: Units) -> Floats:
    """(members, units): 1 where a member is of a unit."""
    membership = np.zeros((len(units.order), len(units.starts)))
    membership[units.order, np.repeat(np.arange(len(units.starts)), units.sizes)] = 1
    return membership


def _keys(members: pd.DataFrame) -> list[tuple[str, str]]:
    """What texts of one unit share: the word, or the text where no word is known."""
    return [
        ("", text) if pd.isna(word) else (word, "")
        for word, text in zip(members["word"], members["text"], strict=True)
    ]
