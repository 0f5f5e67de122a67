"""Bands and p of regional bias: what they hold under the null, and what they are made of."""

import numpy as np
import pytest
from scipy.stats import kstest

from synthetic_trees import ODD, Array, drawn, world
from unmask.regional.bias import Rows, all_scores
from unmask.regional.chance import (
    Source,
    p_values,
    permutation,
    permuted_scores,
    quantiles,
    scores_of,
)
from unmask.regional.hierarchy import Tree, tree_of
from unmask.regional.terms import C_Z, CORRECTED, PLAIN, PROTOCOLS, PUBLISHED

TREE = tree_of(world([4, 6, 3], [5, 3, 7], [3, 4]))


def source(tree: Tree, seed: int, words: int = 12) -> Source:
    return Source(drawn(tree, words, seed), drawn(tree, words, seed + 1000), PROTOCOLS)


def test_p_is_uniform_where_regions_are_exchangeable() -> None:
    """Over worlds without any bias, p of each score is uniform on its steps."""
    p: dict[tuple[str, str], list[Array]] = {key: [] for key in scores_of(TREE, source(TREE, 0))}
    for seed in range(100):
        own = source(TREE, seed)
        permuted = permuted_scores(TREE, own, 19, seed)
        for key, scores in scores_of(TREE, own).items():
            p[key].append(p_values(scores[0, TREE.inner], permuted[key]))
    for (protocol, measure), values in p.items():
        for place, region in enumerate(TREE.inner.tolist()):
            if measure == PLAIN and (
                region == 0 or (protocol == PUBLISHED and TREE.levels[region] == "country")
            ):
                continue
            ranks = np.array([found[place] for found in values])
            # steps of 1/20, spread to a continuum
            spread = ranks - np.random.default_rng(region).random(len(ranks)) / 20
            assert kstest(spread, "uniform").pvalue > 1e-4, (protocol, measure, TREE.regions[region])


def test_p_counts_ties_and_is_never_nothing() -> None:
    draws = np.array([[1.0, 1.0, np.nan], [2.0, 1.0, np.nan], [3.0, 1.0, np.nan]])
    p = p_values(np.array([2.5, 1.0, np.nan]), draws)
    np.testing.assert_allclose(p, [2 / 4, 1, np.nan])
    assert p_values(np.array([9.0]), np.zeros((100, 1)))[0] == pytest.approx(1 / 101)


def test_permutations_move_regions_within_their_level() -> None:
    tree = tree_of(ODD)
    order = permutation(tree, np.random.default_rng(0))
    assert sorted(order) == list(range(len(tree)))
    assert [tree.levels[region] for region in order] == tree.levels
    assert order.tolist() != list(range(len(tree)))


def test_permuted_scores_are_those_of_permuted_rows() -> None:
    own = source(TREE, 3)
    found = permuted_scores(TREE, own, 5, 7)
    assert own.padded
    for i in range(5):
        order = permutation(TREE, np.random.default_rng([7, 1, i]))
        rows, padded = (Rows(r.f[:, order], r.names[:, order]) for r in (own.rows, own.padded))
        for key, scores in all_scores(TREE, rows, padded, PROTOCOLS).items():
            np.testing.assert_allclose(found[key][i], scores[0, TREE.inner], rtol=1e-4)
    # all regions are all regions, however permuted
    assert p_values(scores_of(TREE, own)[CORRECTED, PLAIN][0, :1], found[CORRECTED, PLAIN][:, :1]) == 1


def test_draws_depend_on_the_seed_and_their_number_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    own = source(TREE, 2)
    whole, other = permuted_scores(TREE, own, 6, 1), permuted_scores(TREE, own, 6, 2)
    monkeypatch.setattr("unmask.regional.chance.BATCH", 1)
    alone = permuted_scores(TREE, own, 4, 1)
    for key, scores in whole.items():
        np.testing.assert_allclose(alone[key], scores[:4], rtol=1e-5)
        if key[1] == C_Z:
            assert not np.allclose(other[key], scores, equal_nan=True)


def test_quantiles_are_over_draws_with_a_score() -> None:
    draws = np.array([[1.0, np.nan], [np.nan, np.nan], [3.0, np.nan]])
    np.testing.assert_allclose(quantiles(draws, (0.0, 0.5, 1.0)), [[1, np.nan], [2, np.nan], [3, np.nan]])
