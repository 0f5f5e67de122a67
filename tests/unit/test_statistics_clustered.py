"""McNemar's test with pairs that share words varying together: against a literal one, and by simulation."""

import itertools
import os
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from unmask.statistics.dependence import Dependence
from unmask.statistics.paired import clustered_mcnemar, clusters_of, sharing_mcnemar, strangers

Nodes = Sequence[Sequence[str]]

DRAWS = int(os.environ.get("UNMASK_COVERAGE_DRAWS", "400"))


def crossed(sides: int, each: int) -> Nodes:
    return [[f"a{i}", f"b{j}"] for i in range(sides) for j in range(sides) for _ in range(each)]


def separate(clusters: int, each: int) -> Nodes:
    return [[f"w{i}"] for i in range(clusters) for _ in range(each)]


def zipf(pairs: int, words: int) -> Nodes:
    chances = 1 / np.arange(1, words + 1)
    chosen = np.random.default_rng(0).choice(words, size=(pairs, 2), p=chances / chances.sum())
    return [[f"s{one}", f"a{other}"] for one, other in chosen]


def test_of(d: npt.ArrayLike, nodes: Nodes) -> dict[str, object]:
    return sharing_mcnemar(np.asarray(d, np.int64), Dependence.of(nodes))


test_of.__test__ = False  # type: ignore[attr-defined]


def literal(d: Sequence[int], nodes: Nodes) -> tuple[float, float, float]:
    """t, df and p, every matrix written out.

    Residuals are R d. With the covariance a I + b K of the d, the expectations of Σ residual² / n² and of
    residuals' K residuals / n² are traces; a and b are what makes both as large as they are.
    """
    n = len(d)
    k = np.array([[float(bool(set(one) & set(other))) for other in nodes] for one in nodes])
    r = np.eye(n) - 1 / n
    residuals = r @ np.array(d, float)
    forms = (np.eye(n) / n**2, k / n**2)
    measured = [residuals @ form @ residuals for form in forms]
    expected = [[np.trace(r @ form @ r @ cov) for cov in (np.eye(n), k)] for form in forms]
    a, b = np.linalg.solve(expected, measured)
    weights = np.full(n, 1 / n)
    independent = measured[0] * (1 / n) / np.trace(r @ forms[0] @ r)
    variance = max(weights @ (a * np.eye(n) + b * k) @ weights, 0.75 * independent)
    sandwich = r @ forms[1] @ r
    df = min(np.trace(sandwich) ** 2 / np.trace(sandwich @ sandwich), np.count_nonzero(d) - 1)
    t = np.mean(d) / np.sqrt(variance)
    return t, df, 2 * stats.t.sf(abs(t), df)


@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_literal_test(seed: int) -> None:
    rng = np.random.default_rng(seed)
    nodes = zipf(60, 30)
    word = {node: rng.normal() for own in nodes for node in own}
    margins = [sum(word[node] for node in own) + rng.normal() + 0.3 * seed for own in nodes]
    d = np.round(margins).astype(int).tolist()
    t, df, p = literal(d, nodes)
    found = test_of(d, nodes)
    assert found["statistic"] == pytest.approx(t) and found["df"] == pytest.approx(df)
    assert found["p"] == pytest.approx(p)
    assert (found["n"], found["b"], found["c"]) == (60, sum(x > 0 for x in d), sum(x < 0 for x in d))


def test_clusters_that_share_nothing_are_tested_as_clusters() -> None:
    rng = np.random.default_rng(3)
    nodes, d = separate(9, 4), rng.integers(-1, 4, 36)
    sums = [sum(d[4 * cluster : 4 * cluster + 4]) for cluster in range(9)]
    signs = itertools.product((1, -1), repeat=9)
    reached = [abs(np.dot(sign, sums)) >= abs(sum(sums)) for sign in signs]
    found = test_of(d, nodes)
    assert found["p"] == pytest.approx(np.mean(reached)) and found["exact"]
    assert found["df"] is None
    # each pair a cluster: the test by pair
    alone = test_of(d, [[f"w{place}"] for place in range(36)])
    assert {key: alone[key] for key in ("statistic", "p", "exact")} == {
        key: clustered_mcnemar(d)[key] for key in ("statistic", "p", "exact")
    }


def test_which_pairs_are_clusters() -> None:
    found = clusters_of(Dependence.of([["x"], ["y", "z"], ["x"], ["z", "y"], []]))
    assert found is not None
    pairs = itertools.combinations(range(5), 2)
    assert [pair for pair in pairs if found[pair[0]] == found[pair[1]]] == [(0, 2), (1, 3)]
    # the first and the last share nothing, and both share with the second
    assert clusters_of(Dependence.of([["x"], ["x", "y"], ["y"]])) is None


@pytest.mark.parametrize(
    ("nodes", "d"),
    [
        (separate(1, 50), [1] * 40 + [-1] * 10),
        (separate(5, 40), [1] * 200),
        ([["she", f"w{i % 9}"] for i in range(90)], [1] * 60 + [0] * 30),
        (crossed(20, 1), [1] * 5 + [0] * 395),
    ],
    ids=["one word", "five clusters", "a word that all share", "five differences"],
)
def test_what_cannot_reject_has_no_p(nodes: Nodes, d: list[int]) -> None:
    found = test_of(d, nodes)
    assert found["p"] is None and found["untestable"] is True
    # though taken as independent they seem to
    p = clustered_mcnemar(np.array(d))["p"]
    assert isinstance(p, float) and p <= 0.0625


def test_nothing_that_differs_is_nothing_to_test() -> None:
    found = test_of([0] * 40, separate(10, 4))
    assert found["p"] is None and found["untestable"] is False


def test_words_that_all_agree_are_as_unlikely_as_coins() -> None:
    """Of pairs with one of 12 words on either side 12 at most share nothing."""
    nodes = crossed(12, 2)
    found = test_of([1] * len(nodes), nodes)
    assert found["p"] == pytest.approx(2.0**-11)
    nearly = test_of([1] * (len(nodes) - 1) + [2], nodes)
    assert nearly["p"] == pytest.approx(2.0**-11)


@pytest.mark.parametrize("seed", range(8))
def test_strangers_share_nothing(seed: int) -> None:
    """No more than there are, by trying all sets of pairs, and not many fewer."""
    rng = np.random.default_rng(seed)
    nodes = [[f"w{word}" for word in rng.choice(9, size=rng.integers(0, 3))] for _ in range(10)]

    def apart(some: Sequence[int]) -> bool:
        return all(not set(nodes[i]) & set(nodes[j]) for i, j in itertools.combinations(some, 2))

    sets = (some for size in range(11) for some in itertools.combinations(range(10), size))
    most = max(len(some) for some in sets if apart(some))
    assert most - 1 <= strangers(Dependence.of(nodes)) <= most


def test_strangers_are_counted_up_to_a_limit() -> None:
    assert strangers(Dependence.of([["x"]] * 7)) == 1
    assert strangers(Dependence.of([["x"], ["x", "y"], ["y"]])) == 2
    assert strangers(Dependence.of([[]] * 500)) == 60


WORLDS: dict[str, Callable[[], Nodes]] = {
    "6 clusters": lambda: separate(6, 24),
    "8 clusters": lambda: separate(8, 24),
    "10 clusters": lambda: separate(10, 20),
    "20 clusters": lambda: separate(20, 20),
    "words crossed": lambda: crossed(8, 3),
    "a word in half of the pairs": lambda: (
        [["he", f"a{i % 24}"] for i in range(192)] + [[f"w{i % 12}"] for i in range(216)]
    ),
    "words of all frequencies": lambda: zipf(500, 100),
}
SHARES = (0.0, 0.3, 1.0)
"""How much of the variance is that of words; with 1 words decide."""


@pytest.mark.long
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("world", WORLDS)
def test_where_nothing_differs_it_rejects_seldom(world: str, share: float) -> None:
    """Words prefer either at random, and pairs go by their words: no mean differs from 0."""
    nodes, rng = WORLDS[world](), np.random.default_rng(1)
    dependence = Dependence.of(nodes)
    names = sorted({node for own in nodes for node in own})
    has = np.array([[node in own for node in names] for own in nodes], float)
    has /= np.sqrt(has.sum(axis=1, keepdims=True))
    rejected = alone = 0
    for _ in range(DRAWS):
        margins = np.sqrt(share) * has @ rng.normal(size=len(names))
        margins += np.sqrt(1 - share) * rng.normal(size=len(nodes))
        d = np.sign(margins).astype(np.int64)
        p = sharing_mcnemar(d, dependence)["p"]
        rejected += isinstance(p, float) and p <= 0.05
        p = clustered_mcnemar(d)["p"]
        alone += isinstance(p, float) and p <= 0.05
    error = np.sqrt(0.05 * 0.95 / DRAWS)
    assert rejected / DRAWS <= 0.05 + 3 * error
    # the test by pair is not: its rate is what this one is for
    if share:
        assert alone / DRAWS > 0.15


@pytest.mark.parametrize("world", ["20 clusters", "words of all frequencies"])
def test_what_differs_throughout_is_seen(world: str) -> None:
    nodes, rng = WORLDS[world](), np.random.default_rng(2)
    d = rng.binomial(6, 0.5, len(nodes))
    p = test_of(d, nodes)["p"]
    assert isinstance(p, float) and p < 0.01
