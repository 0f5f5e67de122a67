"""Which pairs vary together, against matrices that are written out."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import synthetic
from unmask.statistics.dependence import LEAST_DESIGN_EFFECT, MOST_NODES, VALUES_AT_ONCE, Dependence, blocks
from unmask.statistics.shared_words import dependence_of, kinds_in, nodes_of

NODES = st.lists(st.sets(st.integers(0, 9), max_size=MOST_NODES), min_size=1, max_size=25)


def written_out(nodes: list[set[int]]) -> list[list[float]]:
    return [
        [1.0 if i == j or nodes[i] & nodes[j] else 0.0 for j in range(len(nodes))] for i in range(len(nodes))
    ]


@settings(deadline=None)
@given(NODES)
def test_pairs_that_share_a_node_vary_together_and_no_others(nodes: list[set[int]]) -> None:
    found = Dependence.of(nodes) @ np.eye(len(nodes))
    np.testing.assert_allclose(found, written_out(nodes), atol=1e-9)


@settings(deadline=None)
@given(NODES, st.integers(0, 99))
def test_some_pairs_share_what_they_share_among_all(nodes: list[set[int]], seed: int) -> None:
    rng = np.random.default_rng(seed)
    members = np.flatnonzero(rng.random(len(nodes)) < 0.6)
    among = Dependence.of(nodes).among(members)
    assert len(among) == len(members)
    expected = np.array(written_out(nodes)).reshape(len(nodes), len(nodes))[np.ix_(members, members)]
    np.testing.assert_allclose(among @ np.eye(len(members)), expected, atol=1e-9)


def test_of_many_nodes_the_commonest_count() -> None:
    """Pair 0 has all the nodes that others share; the one of the fewest pairs is left out."""
    often = {node: 2 + node for node in range(MOST_NODES + 1)}
    nodes = [set(often)] + [{node} for node, count in often.items() for _ in range(count)]
    shares = (Dependence.of(nodes) @ np.eye(len(nodes)))[0, 1:]
    assert shares.tolist() == [float(node > 0) for node, count in often.items() for _ in range(count)]


def test_nodes_that_one_pair_has_do_not_count_among_the_many() -> None:
    nodes = [{f"own{i}" for i in range(20)} | {"shared"}, {"shared"}, {"else"}]
    assert (Dependence.of(nodes) @ np.eye(3)).tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]


def test_the_order_of_pairs_changes_nothing() -> None:
    rng = np.random.default_rng(1)
    nodes = [{int(node) for node in rng.choice(40, 2)} for _ in range(90)]
    values, groups = rng.normal(size=90), (rng.random(90) < 0.4).astype(np.int64)
    weights = np.where(groups, 0.02, -0.03)
    means = np.array([values[groups == group].mean() for group in (0, 1)])
    residuals = (values - means[groups])[:, None]
    one = Dependence.of(nodes).variance(residuals, weights, groups)
    order = rng.permutation(90)
    other = Dependence.of([nodes[i] for i in order]).variance(residuals[order], weights[order], groups[order])
    np.testing.assert_allclose(one.clustered, other.clustered)
    np.testing.assert_allclose(one.independent, other.independent)
    assert one.df == pytest.approx(other.df)


@given(st.integers(0, 2 * VALUES_AT_ONCE), st.integers(1, 50))
def test_blocks_have_every_column_once_and_few_values(pairs: int, columns: int) -> None:
    found = list(blocks(pairs, columns))
    sizes = [len(range(columns)[block]) for block in found]
    assert [column for block in found for column in range(columns)[block]] == list(range(columns))
    assert max(sizes) == 1 or max(sizes) * pairs <= VALUES_AT_ONCE
    assert max(sizes) - min(sizes) <= 1


def test_without_shared_nodes_the_variance_is_the_usual_one() -> None:
    values = np.random.default_rng(2).normal(size=(50, 3))
    found = Dependence.of([{i} for i in range(50)]).variance(
        values - values.mean(axis=0), np.full(50, 1 / 50), np.zeros(50, np.int64)
    )
    np.testing.assert_allclose(found.clustered, values.var(axis=0, ddof=1) / 50)
    np.testing.assert_allclose(found.independent, found.clustered)
    assert found.df == pytest.approx(49)


def test_pairs_that_are_copies_count_once() -> None:
    """Fifty values ten times each: the variance of the mean is that of fifty."""
    values = np.random.default_rng(3).normal(size=50)
    copies = np.repeat(values, 10)[:, None]
    found = Dependence.of([{i // 10} for i in range(500)]).variance(
        copies - copies.mean(), np.full(500, 1 / 500), np.zeros(500, np.int64)
    )
    np.testing.assert_allclose(found.clustered, values.var(ddof=1) / 50)
    assert found.df == pytest.approx(49)


def test_the_variance_has_a_floor_and_may_be_unknown() -> None:
    turns = np.tile([1.0, -1.0], 40)[:, None]
    together = Dependence.of([{i // 2} for i in range(80)])
    found = together.variance(turns, np.full(80, 1 / 80), np.zeros(80, np.int64))
    np.testing.assert_allclose(found.clustered, LEAST_DESIGN_EFFECT * found.independent)
    one = Dependence.of([{"all"}] * 80).variance(turns, np.full(80, 1 / 80), np.zeros(80, np.int64))
    assert np.isnan(one.clustered).all() and np.isnan(one.df)


def test_pairs_that_share_a_modified_character_vary_together() -> None:
    pairs = pd.DataFrame(
        {
            "stereotype": ["女人不会开车。", "女孩哭了。", "穷人偷东西。"],
            "antistereotype": ["男人不会开车。", "男孩哭了。", "富人偷东西。"],
            "target": None,
            "writer": None,
        }
    )
    for kinds in (["words", "target"], ["characters"]):
        assert kinds_in(pairs, kinds) == kinds[:1]
        shares = dependence_of(pairs, kinds_in(pairs, kinds)) @ np.eye(3)
        assert shares.tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]


def test_pairs_of_one_template_vary_together() -> None:
    texts = [
        ("Gay people are odd.", "Straight people are odd."),
        ("Queer people are odd.", "Cis people are odd."),
        ("Queer folk are odd.", "Cis folk are odd."),
        ("People are odd.", "Gay people are odd."),
        ("People are odd.", "People are odd."),
    ]
    pairs = pd.DataFrame(texts, columns=["stereotype", "antistereotype"]).assign(target=None, writer=None)
    templates = [name for ((kind, name),) in nodes_of(pairs, ["template"])]
    assert templates == [
        "_ people are odd",
        "_ people are odd",
        "_ folk are odd",
        "_ people are odd",
        "people are odd",
    ]
    assert kinds_in(pairs, ["words", "template", "writer"]) == ["words", "template"]
    of_words, of_both = (
        dependence_of(pairs, kinds) @ np.eye(5) for kinds in (["words"], ["words", "template"])
    )
    shared = [[1, 0, 0, 1, 0], [0, 1, 1, 0, 0], [0, 1, 1, 0, 0], [1, 0, 0, 1, 0], [0, 0, 0, 0, 1]]
    np.testing.assert_allclose(of_words, shared, atol=1e-9)
    for one, other in ((0, 1), (1, 3)):
        shared[one][other] = shared[other][one] = 1
    np.testing.assert_allclose(of_both, shared, atol=1e-9)


def test_nodes_are_words_targets_and_writers() -> None:
    pairs = pd.DataFrame(
        {
            "stereotype": ["he works", "she rests", "all same"],
            "antistereotype": ["she works", "we rest", "all same"],
            "target": ["job", None, "she"],
            "writer": ["w1", "w1", None],
        }
    )
    assert list(nodes_of(pairs, ["words"])) == [
        [("words", "he"), ("words", "she")],
        [("words", "she"), ("words", "rests"), ("words", "we"), ("words", "rest")],
        [],
    ]
    assert list(nodes_of(pairs, ["target", "writer"])) == [
        [("target", "job"), ("writer", "w1")], [("writer", "w1")], [("target", "she")],
    ]  # fmt: skip
    # a target is no word
    shares = dependence_of(pairs, ["words", "target"]) @ np.eye(3)
    assert shares.tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    assert kinds_in(pairs.assign(target=None), ["words", "target", "writer"]) == ["words", "writer"]


def test_swapping_the_sides_changes_no_node() -> None:
    pairs = synthetic.make(20, seed=1).pairs
    swapped = pairs.rename(columns={"stereotype": "antistereotype", "antistereotype": "stereotype"})
    assert list(map(set, nodes_of(pairs, ["words"]))) == list(map(set, nodes_of(swapped, ["words"])))
