"""Which pairs vary together, against matrices that are written out."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from library import LEAST_DESIGN_EFFECT, Sharing, contrast, kinds_in, nodes_of, sharing_of, t_test

NODES = st.lists(st.sets(st.integers(0, 9), max_size=8), min_size=1, max_size=25)


@given(NODES, st.integers(0, 99))
def test_pairs_that_share_a_node_vary_together_and_no_others(nodes: list[set[int]], seed: int) -> None:
    """Among all of them, and among some."""
    expected = np.array([[float(one is other or bool(one & other)) for other in nodes] for one in nodes])
    everyone = np.arange(len(nodes))
    for members in (everyone, everyone[np.random.default_rng(seed).random(len(nodes)) < 0.6]):
        among = Sharing.of(nodes).among(members) @ np.eye(len(members))
        np.testing.assert_allclose(among, expected[np.ix_(members, members)], atol=1e-9)


def test_pairs_that_are_copies_count_once_and_unknown_ones_not_at_all() -> None:
    """Fifty values ten times each: the variance of the mean is the usual one of fifty."""
    values = np.random.default_rng(3).normal(size=(50, 2))
    values[:7, 1] = np.nan
    copies = np.repeat(values, 10, axis=0), Sharing.of([{i // 10} for i in range(500)])
    # taken ten times, without a node
    again = np.tile(values, (10, 1)), Sharing.of([()] * 50).among(np.tile(np.arange(50), 10))
    for found in (contrast(values, Sharing.of([()] * 50)), contrast(*copies), contrast(*again)):
        np.testing.assert_allclose(found["df"], [49, 42])
        variances = [values[:, 0].var(ddof=1) / 50, values[7:, 1].var(ddof=1) / 43]
        np.testing.assert_allclose(found["clustered"], variances)


def test_the_variance_has_a_floor_and_may_be_unknown() -> None:
    turns = np.tile([1.0, -1.0], 40)[:, None]
    found = contrast(turns, Sharing.of([{i // 2} for i in range(80)]))
    np.testing.assert_allclose(found["clustered"], LEAST_DESIGN_EFFECT * found["independent"])
    one = contrast(turns, Sharing.of([{"all"}] * 80))
    assert one[["clustered", "df"]].isna().all(axis=None) and one["independent"].notna().all()
    # a group without a pair has no mean
    assert contrast(turns, Sharing.of([()] * 80), np.zeros(80, int), (1.0, -1.0))["estimate"].isna().all()


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.integers(0, 5)), min_size=2, max_size=20))
def test_the_rarer_decision_has_kishs_size(decided: list[tuple[float, int]]) -> None:
    """(Σ d)² / Σᵢⱼ Kᵢⱼ dᵢ dⱼ of either side, pair by pair; the smaller one."""
    nodes = [{node} for _, node in decided]
    sizes = []
    for side in ([d for d, _ in decided], [1 - d for d, _ in decided]):
        together = sum(
            one * other
            for one, own in zip(side, nodes, strict=True)
            for other, others in zip(side, nodes, strict=True)
            if own & others
        )
        sizes.append(sum(side) ** 2 / together if together else 0.0)
    credit = np.array([d for d, _ in decided])[:, None]
    assert contrast(credit, Sharing.of(nodes))["rarer"].item() == pytest.approx(min(sizes))


def test_student_knows_what_it_cannot_know() -> None:
    variances = [0.0, 0.0, np.nan, 1.0, 1e-28]
    nothing = t_test([0.0, 5.0, 1.0, 1.0, 100 / 3], variances, [9.0, 9.0, 9.0, 0.0, 9.0], 0.95)
    assert nothing.isna().all(axis=None)
    some = t_test([2.0], [4.0], [5.0], 0.9).iloc[0]
    assert some["error"] == 2 and some["p"] == pytest.approx(2 * student.sf(1, 5))
    assert some["high"] == pytest.approx(2 + 2 * student.ppf(0.95, 5))


def test_pairs_share_modified_words_or_characters_targets_and_writers() -> None:
    rows = [
        ("he works", "she works", "job", "w1"),
        ("she rests", "we rest", None, "w1"),
        ("all same", "all same", "she", None),
        # without spaces between words, characters
        ("女人不会开车。", "男人不会开车。", None, None),
        ("女孩哭了。", "男孩哭了。", None, None),
        ("穷人偷东西。", "富人偷东西。", None, None),
    ]
    pairs = pd.DataFrame(rows, columns=["stereotype", "antistereotype", "target", "writer"])
    assert list(nodes_of(pairs, ["words"]))[:3] == [
        [("words", "he"), ("words", "she")],
        [("words", "she"), ("words", "rests"), ("words", "we"), ("words", "rest")],
        [],
    ]
    assert list(nodes_of(pairs, ["target", "writer"]))[:3] == [
        [("target", "job"), ("writer", "w1")], [("writer", "w1")], [("target", "she")],
    ]  # fmt: skip
    # a target is no word
    expected = np.eye(6)
    expected[[0, 1, 3, 4], [1, 0, 4, 3]] = 1
    assert (sharing_of(pairs, ["words", "target"]) @ np.eye(6) == expected).all()
    assert kinds_in(pairs.assign(target=None), ["words", "target", "writer"]) == ["words", "writer"]
