"""A regional bias that is known to be there, and which scores find it.

In a world of its own each region and word has −f = e^(name of the region) + e^(word + noise of both), all
regions alike: as in masked models, how likely a sentence is hangs first of all on the region's name. Then the
children of one region are set apart: by `words`, where the noise has 1 + strength² times the variance, or by
`names`, where the names' part has. A score finds it where it lies above what the world's own vectors give
when permuted, and its ranking where the region comes out first of its level. With strength 0 there is
nothing to find, and what is found are false alarms. `names` is no bias of what is said of regions: what is
found of it is a false alarm, too, for whoever reads the score as one.
"""

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from unmask.regional.bias import Rows, all_scores
from unmask.regional.chance import p_values, permutation
from unmask.regional.hierarchy import Ints, Tree, tree_of
from unmask.regional.score_schema import PLANTED
from unmask.regional.terms import LEVELS, MEASURES, PLAIN, PUBLISHED
from unmask.statistics.intervals import wilson

ALPHA = 0.05
PERMUTATIONS = 19
"""The fewest with which p can come to ALPHA: 1 / (1 + 19). The test is exact with these as with more."""

BY_WORDS, BY_NAMES = "words", "names"
"""What the children of a region are set apart by."""

NAME, BETWEEN_NAMES = 0.3, 1.15
"""Median and standard deviation of the logarithm of the name's part of a sentence's −f: with those below, of
the order of a small masked model's on the names of cities. Scores are of vectors of length one, so that only
ratios matter."""

WORD, BETWEEN_WORDS, NOISE = 0.13, 1.25, 0.15
"""The same of the word's part, and the standard deviation of a region's noise about it."""

ALONE, BETWEEN_ALONE = 0.6, 0.6
"""Median of −f of a name alone, and what else than its part of sentences it varies by."""

LARGEST = 1000
"""A tree of more regions is cut."""

PARTS, ENDS = 10, 40
"""Of a region's children so many are kept: PARTS from those with the fewest to those with the most children
of their own, or the first ENDS where none has any."""

FEWEST = 3
"""Children of a region that a bias is planted in."""

BATCH = 1 << 21
"""Numbers of a batch of worlds."""


Counts = dict[tuple[str, str], int]
"""By protocol and measure."""


class Trials(NamedTuple):
    """In how many worlds a score finds the bias, has its region first of its level, and is one at all."""

    found: Counts
    first: Counts
    scored: Counts


def planted_table(
    regions: pd.DataFrame,
    words: int,
    protocols: Sequence[str],
    worlds: int,
    strengths: Sequence[float],
    seed: int,
    confidence: float,
) -> pd.DataFrame:
    """PLANTED on the tree of a table REGIONS, with as many dimensions as a list has `words`.

    Of each inner level below the root, the regions with the fewest children (of FEWEST or more), the median
    number and the most. World i has a generator of [seed, i], for all regions, plantings and strengths.
    """
    frame = cut(regions)
    tree = tree_of(frame)
    rows = []
    for region in chosen(tree):
        # without strength there is one world, whatever it would be planted in
        @cache
        def trials(planted: str, strength: float, region: int = region) -> Trials:
            return _trials(tree, frame, region, words, protocols, worlds, planted, strength, seed)

        for planted, strength in product((BY_WORDS, BY_NAMES), strengths):
            found, first, scored = trials(planted if strength else BY_WORDS, strength)
            for key in found:
                n = scored[key]
                low, high = (end / 100 for end in wilson(found[key], n, confidence))
                rows.append(
                    {
                        "variant": key[0],
                        "measure": key[1],
                        "region": tree.regions[region],
                        "level": tree.levels[region],
                        "children": int(tree.counts[region]),
                        "planted": planted,
                        "strength": float(strength),
                        "worlds": worlds,
                        "found": found[key] / n if n else np.nan,
                        "found_low": low,
                        "found_high": high,
                        "first": first[key] / n if n else np.nan,
                    }
                )
    return pd.DataFrame(rows, columns=PLANTED.names)


def chosen(tree: Tree) -> list[int]:
    """The regions that a bias is planted in, level by level, fewest children first; of equals the first."""
    regions: dict[int, None] = {}
    counts = tree.counts
    for members in tree.members.values():
        fit = members[counts[members] >= FEWEST]
        fit = fit[np.argsort(counts[fit], kind="stable")]
        if len(fit):
            regions |= dict.fromkeys(int(fit[place]) for place in (0, (len(fit) - 1) // 2, len(fit) - 1))
    return list(regions)


def cut(regions: pd.DataFrame) -> pd.DataFrame:
    """The table of regions, or of a part where it has more than LARGEST: see there."""
    tree = tree_of(regions)
    if len(tree) <= LARGEST:
        return regions
    sample: list[int] = []
    waiting = [0]
    counts = tree.counts
    while waiting:
        region = waiting.pop()
        sample.append(region)
        children = tree.children[region]
        if len(children) and tree.leaf[children].all():
            children = children[:ENDS]
        elif len(children) > PARTS:
            by_size = children[np.argsort(counts[children], kind="stable")]
            places = np.linspace(0, len(children) - 1, PARTS).round().astype(int)
            children = np.sort(by_size[places])
        waiting.extend(children.tolist())
    return regions.iloc[np.sort(tree.rows[sample])].reset_index(drop=True)


def _trials(
    tree: Tree,
    frame: pd.DataFrame,
    region: int,
    words: int,
    protocols: Sequence[str],
    worlds: int,
    planted: str,
    strength: float,
    seed: int,
) -> Trials:
    keys = [
        (protocol, measure)
        for protocol in protocols
        for measure in MEASURES
        # the released code has no plain score of countries
        if not (protocol == PUBLISHED and measure == PLAIN and tree.levels[region] == LEVELS[2])
    ]
    found, first, scored = ({key: 0 for key in keys} for _ in range(3))
    part, inside = _part(tree, frame, region)
    place = int(np.flatnonzero(inside == region)[0])
    level = tree.members[tree.levels[region]]
    step = max(1, BATCH // (len(tree) * words))
    for begin in range(0, worlds, step):
        batch = range(begin, min(begin + step, worlds))
        rows, permuted = _worlds(tree, region, words, planted, strength, seed, batch, inside)
        whole = all_scores(tree, rows, rows, protocols)
        of_permutations = all_scores(part, permuted, permuted, protocols)
        for key in keys:
            actual = whole[key][:, region]
            # (permutations, worlds)
            chance = of_permutations[key][:, place].reshape(len(batch), PERMUTATIONS).T
            found[key] += int((p_values(actual, chance) <= ALPHA).sum())
            first[key] += int((actual >= np.nanmax(whole[key][:, level], axis=1)).sum())
            scored[key] += int((~np.isnan(actual)).sum())
    return Trials(found, first, scored)


def _part(tree: Tree, frame: pd.DataFrame, region: int) -> tuple[Tree, Ints]:
    """A region, all in it and those it lies in, as a tree, and their numbers. Its scores need no others."""
    above = []
    parent = int(tree.parents[region])
    while parent >= 0:
        above.append(parent)
        parent = int(tree.parents[parent])
    inside = np.array([*reversed(above), *range(region, int(tree.end[region]))])
    # both are depth first, so the numbers of the part follow the same order
    return tree_of(frame.iloc[tree.rows[inside]]), inside


def _worlds(
    tree: Tree,
    region: int,
    words: int,
    planted: str,
    strength: float,
    seed: int,
    worlds: range,
    inside: Ints,
) -> tuple[Rows, Rows]:
    """Some worlds with the bias, and the part `inside` of each, permuted PERMUTATIONS times."""
    f = np.empty((len(worlds), len(tree), words))
    names = np.empty((len(worlds), len(tree)))
    orders = np.empty((len(worlds), PERMUTATIONS, len(inside)), np.int64)
    children = tree.children[region]
    for i, world in enumerate(worlds):
        generator = np.random.default_rng([seed, world])
        of_words = generator.normal(0, BETWEEN_WORDS, words)
        of_names = generator.normal(0, BETWEEN_NAMES, len(tree))
        noise = generator.normal(0, NOISE, (len(tree), words))
        alone = generator.normal(0, BETWEEN_ALONE, len(tree))
        for order in orders[i]:
            order[:] = permutation(tree, generator)[inside]
        if planted == BY_WORDS:
            noise[children] += strength * generator.normal(0, NOISE, (len(children), words))
        else:
            of_names[children] += strength * generator.normal(0, BETWEEN_NAMES, len(children))
        f[i] = -NAME * np.exp(of_names[:, None]) - WORD * np.exp(of_words + noise)
        names[i] = -ALONE * np.exp(of_names + alone)
    sets = np.arange(len(worlds))[:, None, None]
    permuted_f = f[sets, orders].reshape(-1, len(inside), words)
    return Rows(f, names), Rows(permuted_f, names[sets, orders].reshape(-1, len(inside)))
