"""HERB (Li et al., 2022): how unlike a model makes the regions that lie in a region.

f (regions × words) holds mean log-likelihoods of sentences (equation 1), names (regions) those of the names
alone. Regions are the rows of a REGIONS table. No score looks at the row of the root.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import softmax

from unmask.errors import InputError
from unmask.regional.schema import LIKELIHOODS, SCORES
from unmask.regional.terms import C_W, C_Z, CORRECTED, FULL, LEVELS, PAPER, PUBLISHED, SPARSENESS
from unmask.statistics.uncertainty import holm
from unmask.tables import read_arrow

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.int64]

ROOT = 0

FAMILY = ["protocol", "measure", "words", "level"]
"""Columns of SCORES: Holm's correction is over the regions that are alike in them."""

PERMUTED = 1
"""Part of the seed of a permutation."""

ZERO, TIED = 16 * np.finfo(float).eps, 1e-9
"""Squared distances below this share of the largest squared length are rounding; and a permutation whose
score is smaller by no more than this share gives as much."""

BLOCK = 2048
"""Regions whose distances to all others are in memory at once."""

ALONE = ""
"""The column of sentences that are the name alone."""


class Rows(NamedTuple):
    f: Floats
    names: Floats


def read_likelihoods(paths: Mapping[str, str | Path]) -> pd.DataFrame:
    """Mean log-likelihoods by name (rows), and by list and word (columns, with ALONE), of each list's table.

    A word of two lists has two, as the released code pads the sentences of a list together. A sentence that
    is in no table is nan. Raises InputError as `read_table` does.
    """
    matrices: dict[str, pd.DataFrame] = {}
    for list_, path in paths.items():
        frame = read_arrow(path, LIKELIHOODS, ["name", "word", "log_prob"]).to_pandas()
        frame["word"] = frame["word"].cat.add_categories([ALONE]).fillna(ALONE)
        matrices[list_] = frame.pivot(index="name", columns="word", values="log_prob").astype(float)
    return pd.concat(matrices, axis="columns")


def rows_of(names: Sequence[str], words: Sequence[tuple[str, str]], likelihoods: pd.DataFrame) -> Rows:
    """What a model makes of regions of these names by words, each with its list; nan of the first, which is
    the root.

    Raises InputError naming a region and word that have no likelihood.
    """
    columns = [*words, (words[0][0], ALONE)]
    whole = likelihoods.reindex(index=list(names), columns=columns).to_numpy(copy=True)
    whole[ROOT] = np.nan
    for row, column in np.argwhere(np.isnan(whole[ROOT + 1 :])):
        what = f"with the word {words[column][1]!r}" if column < len(words) else "alone"
        raise InputError(f"no likelihood of a sentence with the region {names[row + 1]!r} {what}")
    return Rows(whole[:, :-1], whole[:, -1])


class Tree:
    """The regions of a REGIONS table by their rows: parents stand before their children, the root first.

    children: of each region that has some; counts: how many each has; leaf: whether it is of a level none of
    whose regions has children; bottom_up: regions with children, each after all that lie in it.
    """

    def __init__(self, regions: pd.DataFrame) -> None:
        self.table = regions.reset_index(drop=True)
        row = pd.Series(self.table.index, self.table["region"])
        self.parents = self.table["parent"].map(row)
        by_parent = self.parents.groupby(self.parents)
        self.children: dict[int, Ints] = {int(rows.iloc[0]): rows.index.to_numpy() for _, rows in by_parent}
        self.bottom_up = sorted(self.children, reverse=True)
        self.counts = np.array([len(self.children.get(region, ())) for region in self.table.index])
        with_children = self.table["level"][self.counts > 0].unique()
        self.leaf = ~self.table["level"].isin(with_children).to_numpy()

    def permutation(self, generator: np.random.Generator) -> Ints:
        """For each region one of its level, each once; the root is itself."""
        order = np.arange(len(self.table))
        for rows in self.table[ROOT + 1 :].groupby("level", sort=False).groups.values():
            order[rows] = generator.permutation(rows)
        return order

    def check_levels(self) -> None:
        """Raise InputError unless the levels are LEVELS, each in the one before."""
        levels, before = self.table["level"], dict(zip(LEVELS, ("nothing", *LEVELS), strict=False))
        lies_in = self.parents.map(levels).fillna("nothing")
        for region, level, around in zip(self.table["region"], levels, lies_in, strict=True):
            if before.get(level) != around:
                raise InputError(
                    f"protocols: published needs the levels {', '.join(LEVELS)}, each in the one before, but "
                    f"{region!r} of the regions is a {level} in {around}"
                )


def unit(vectors: Floats) -> Floats:
    """Each row over its length (equation 2)."""
    lengths: Floats = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / lengths


def distances(vectors: Floats, others: Floats | None = None) -> Floats:
    """‖v − o‖ of rows, (n, m); among themselves without others. By products of vectors about their mean."""
    mean = vectors.mean(axis=0)
    a = vectors - mean
    b = a if others is None else others - mean
    lengths = (a**2).sum(axis=1)
    squares = lengths[:, None] + (b**2).sum(axis=1) - 2 * a @ b.T
    squares[squares < ZERO * lengths.max()] = 0
    roots: Floats = np.sqrt(squares)
    return roots


def mean_differences(vectors: Floats) -> Floats:
    """By dimension the mean of |v_i − v_j| over pairs of rows (equation 6); 0 of a single row.

    By sorting: Σ_{i<j} |v_i − v_j| = Σ (2i − n + 1) v_(i), i from 0.
    """
    n = len(vectors)
    if n < 2:
        return np.zeros(vectors.shape[1])
    return (2.0 * np.arange(n) - n + 1) @ np.sort(vectors, axis=0) / (n * (n - 1) / 2)


def weighted_distance(between: Floats, values: Floats) -> float:
    """Σ_{i<j} w_ij d_ij, w the softmax over pairs of x_i + x_j (equations 8 to 10).

    between: distances (n, n); values: x. The softmax factorises: w_ij = u_i u_j / Σ_{k<l} u_k u_l, u = e^x.
    Running sums give the latter without cancellation.
    """
    u = np.exp(values - values.max())
    return float(u @ between @ u / 2 / (np.cumsum(u)[:-1] @ u[1:]))


def hierarchical(tree: Tree, f: Floats, names: Floats, corrected: bool) -> Floats:
    """C_w and C_z of regions, (R, 2), by equations 2 to 10; of leaves C_w is their C, ‖v − mean of siblings‖.

    corrected: without the factor 2 / (n (n − 1)) of equation 8, as its weights sum to one already. The mean
    in equation 4 is over V, as in the released code (the paper writes v). A region with one child has no
    pair: its scores are nan, and its C is 0 in the weights above it.
    """
    v = unit(f)
    large, c = v.copy(), np.zeros(len(v))
    scores = np.full((len(v), 2), np.nan)
    for region in tree.bottom_up:
        children = tree.children[region]
        n, leaves = len(children), children[tree.leaf[children]]
        c[leaves] = scores[leaves, 0] = np.linalg.norm(v[leaves] - v[children].mean(axis=0), axis=1)
        if region != ROOT:
            alpha = softmax(mean_differences(large[children]))
            large[region] += alpha * large[children].mean(axis=0)
        if n > 1:
            factor, between = 1.0 if corrected else 2 / (n * (n - 1)), distances(large[children])
            c[region] = factor * weighted_distance(between, c[children])
            scores[region] = c[region], factor * weighted_distance(between, names[children])
    return scores


def released(tree: Tree, f: Floats, names: Floats) -> Floats:
    """C_w and C_z as the released code computes them, (R, 2), with all that it does otherwise.

    Equation 6 has the squared difference of the last two children alone, times 2 / (n (n − 1)): a loop
    overwrites its sum. The last city's C is 0. A country with one city has V = v + v of the city, and one
    with one or none has scores of 0. V of countries has length one in means and distances but not in α, and a
    continent's own f is never normalised. In C_z the likelihood of names is 0 but for the last child. Where
    the code breaks off, at a continent with fewer than two countries, there is no score.

    Raises InputError unless the levels are world, continent, country and city.
    """
    tree.check_levels()
    level = tree.table["level"].to_numpy()
    _, continent, country, city = LEVELS
    v = unit(f)
    large, c = np.where((level == continent)[:, None], f, v), np.zeros(len(v))
    scores = np.full((len(v), 2), np.nan)
    scores[level == country] = scores[level == city, :1] = 0
    for region in tree.bottom_up:
        children = tree.children[region]
        n, below = len(children), large[children]
        factor = 2 / (n * (n - 1)) if n > 1 else 0.0
        difference = factor * (below[-2] - below[-1]) ** 2 if n > 1 else np.zeros(f.shape[1])
        if level[region] != country:
            below = unit(below)
        elif n > 1:
            rest = children[:-1]
            c[rest] = scores[rest, 0] = np.linalg.norm(below[:-1] - below.mean(axis=0), axis=1)
        if region != ROOT:
            alpha = 1.0 if level[region] == country and n == 1 else softmax(difference)
            large[region] += alpha * below.mean(axis=0)
        if n > 1:
            last, between = np.append(np.zeros(n - 1), names[children[-1]]), distances(below)
            c[region] = factor * weighted_distance(between, c[children])
            scores[region] = c[region], factor * weighted_distance(between, last)
    return scores


def cluster_sparseness(tree: Tree, f: Floats) -> Floats:
    """Equation 3 without levels, (R,): the mean distance of all pairs among a region and all that lie in it.

    The root only holds the others together and is none of them, as in the released code. nan without a pair.
    """
    v, means = unit(f), np.full(len(f), np.nan)
    members: dict[int, Ints] = {}
    for region in tree.bottom_up:
        below = [members.get(int(child), [child]) for child in tree.children[region]]
        members[region] = np.concatenate([[] if region == ROOT else [region], *below]).astype(int)
        inside = v[members[region]]
        n, total = len(inside), 0.0
        for start in range(0, n, BLOCK):
            between = distances(inside[start:], inside[start : start + BLOCK])
            # pairs within the block are there twice
            total += between[BLOCK:].sum() + between[:BLOCK].sum() / 2
        if n > 1:
            means[region] = total / (n * (n - 1) / 2)
    return means


def released_sparseness(tree: Tree, f: Floats) -> Floats:
    """The same in the released code: a country with one city has that city's vector, and none has a score."""
    f, country = f.copy(), tree.table["level"].to_numpy() == LEVELS[2]
    for region in np.flatnonzero(country & (tree.counts == 1)):
        f[region] = f[tree.children[int(region)][0]]
    return np.where(country, np.nan, cluster_sparseness(tree, f))


HIERARCHICAL: Mapping[str, Callable[[Tree, Floats, Floats], Floats]] = {
    PUBLISHED: released,
    PAPER: partial(hierarchical, corrected=False),
    CORRECTED: partial(hierarchical, corrected=True),
}


def permutation_test(
    tree: Tree, protocol: str, rows: Rows, scores: Floats, draws: int, seed: int, confidence: float
) -> dict[str, Floats]:
    """The columns permuted_low, permuted_high and p of SCORES for C_w and C_z, (R, 2) each.

    p is the share of the permutations within levels, the actual order among them, that give as much or more.
    Draw i has the generator of [seed, PERMUTED, i]: its numbers depend on nothing else. All is nan of the
    root, below which all regions stay, and of regions without a pair of children.
    """
    tested = [region for region in tree.bottom_up if region != ROOT and tree.counts[region] > 1]
    orders = (tree.permutation(np.random.default_rng([seed, PERMUTED, draw])) for draw in range(draws))
    permuted = np.array(
        [HIERARCHICAL[protocol](tree, rows.f[order], rows.names[order])[tested] for order in orders]
    )
    reached = (permuted >= scores[tested] * (1 - TIED)).sum(axis=0)
    columns = np.full((3, *scores.shape), np.nan)
    columns[:2, tested] = np.quantile(permuted, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    columns[2, tested] = (1 + reached) / (1 + draws)
    return dict(zip(("permuted_low", "permuted_high", "p"), columns, strict=True))


def score_table(
    tree: Tree, sets: Mapping[str, Mapping[str, Rows]], tested: set[str], **chance: Any
) -> pd.DataFrame:
    """SCORES of one model.

    sets: rows by protocol, by set of words. tested: the sets whose C_w and C_z are compared with those of
    permutations, with the settings `chance` of `permutation_test`. Equation 3 has nothing to correct, so it
    stands under `paper` alone.
    """
    tables, known = [], tree.table[["region", "level"]].assign(children=tree.counts.astype(np.int32))

    def add(protocol: str, measure: str, words: str, **columns: Floats) -> None:
        table = known.assign(protocol=protocol, measure=measure, words=words, **columns)
        # of leaves C_w alone is there, and of all words
        tables.append(table[~tree.leaf | (measure == C_W and words == FULL)])

    for words, by_protocol in sets.items():
        for protocol, rows in by_protocol.items():
            columns = {"score": HIERARCHICAL[protocol](tree, *rows)}
            if words in tested:
                columns |= permutation_test(tree, protocol, rows, columns["score"], **chance)
            for number, measure in enumerate((C_W, C_Z)):
                add(protocol, measure, words, **{name: each[:, number] for name, each in columns.items()})
        if equations := by_protocol.get(PAPER, by_protocol.get(CORRECTED)):
            add(PAPER, SPARSENESS, words, score=cluster_sparseness(tree, equations.f))
        if PUBLISHED in by_protocol:
            add(PUBLISHED, SPARSENESS, words, score=released_sparseness(tree, by_protocol[PUBLISHED].f))
    table = pd.concat(tables, ignore_index=True).reindex(columns=SCORES.names)
    return holm(table, FAMILY)
