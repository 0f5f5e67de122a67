"""How sure numbers are: what varies together, variances, intervals and p, and how often intervals hold."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student

from library import (
    LEAST_DESIGN_EFFECT,
    Floats,
    Sharing,
    contrast,
    holm,
    kinds_in,
    modified_words,
    nodes_of,
    normal_quantile,
    proportion,
    read_benchmark,
    sharing_of,
    t_test,
    wilson,
)
from real_data import real_data

NODES = st.lists(st.sets(st.integers(0, 9), max_size=8), min_size=1, max_size=25)


@given(NODES, st.integers(0, 99))
def test_pairs_that_share_a_node_vary_together_and_no_others(nodes: list[set[int]], seed: int) -> None:
    """Among all of them, and among some."""
    expected = np.array([[float(one is other or bool(one & other)) for other in nodes] for one in nodes])
    everyone = np.arange(len(nodes))
    for members in (everyone, everyone[np.random.default_rng(seed).random(len(nodes)) < 0.6]):
        among = Sharing.of(nodes).among(members) @ np.eye(len(members))
        np.testing.assert_allclose(among, expected[np.ix_(members, members)], atol=1e-9)


def test_the_variance_has_a_floor_and_may_be_unknown() -> None:
    turns = np.tile([1.0, -1.0], 40)[:, None]
    found = contrast(turns, Sharing.of([{i // 2} for i in range(80)]))
    np.testing.assert_allclose(found["clustered"], LEAST_DESIGN_EFFECT * found["independent"])
    one = contrast(turns, Sharing.of([{"all"}] * 80))
    assert one[["clustered", "df"]].isna().all(axis=None) and one["independent"].notna().all()
    # a group without a pair has no mean
    assert contrast(turns, Sharing.of([()] * 80), np.zeros(80, int), (1.0, -1.0))["estimate"].isna().all()


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


def scored(score: float, n: int, effect: float, largest: float, rarer: float, df: float) -> pd.DataFrame:
    """What `contrast` says of decisions; effect: nan where they are all alike."""
    independent = 0.0 if math.isnan(effect) else 1.0
    numbers = {"estimate": score, "n": n, "clustered": effect * independent, "independent": independent}
    return pd.DataFrame([numbers | {"df": df, "largest": largest, "rarer": rarer}])


def ends_of(rows: pd.DataFrame, confidence: float = 0.95, neutral: float = 0.5) -> tuple[float, float]:
    found = proportion(rows, confidence, neutral).iloc[0]
    return float(found["low"]), float(found["high"])


def test_rounding_loses_no_interval() -> None:
    one = ends_of(scored(0.9, 40, 2.0, 4.0, 2.0, 1.0))
    for df in (1 - 1e-15, 1 - 1e-12):
        assert ends_of(scored(0.9, 40, 2.0, 4.0, 2.0, df)) == one and not np.isnan(one).any()
    for n, df, largest in ((0, 5.0, 1.0), (9, 0.9, 1.0), (9, 5.0, math.nan)):
        assert proportion(scored(0.7, n, 1.0, largest, 1.0, df), 0.95)[["low", "p"]].isna().all(axis=None)


def bisected_p(rows: pd.DataFrame, neutral: float) -> float:
    """1 less the confidence at which an interval ends at the score of no preference, by trying
    confidences."""
    least, most = 0.0, 1.0
    for _ in range(40):
        confidence = (least + most) / 2
        low, high = ends_of(rows, confidence, neutral)
        least, most = (least, confidence) if low <= 100 * neutral <= high else (confidence, most)
    return 1 - (least + most) / 2


@settings(max_examples=15)
@given(
    st.sampled_from([0.0, 0.02, 0.31, 0.45, 0.5, 0.503, 0.6, 0.75, 0.94, 1.0]),
    st.sampled_from([12, 60, 400]),
    st.sampled_from([0.75, 1.0, 3.0, 30.0, math.nan]),
    st.sampled_from([1.0, 2.5, 6.0]),
    st.sampled_from([1.0, 1.5, 4.0, 19.0, 300.0]),
    st.sampled_from([1.0, 2.3, 11.0, 200.0]),
    st.sampled_from([0.5, 0.5, 0.49, 0.3]),
)
def test_p_is_where_the_interval_reaches_no_preference(
    score: float, n: int, effect: float, largest: float, rarer: float, df: float, neutral: float
) -> None:
    rows = scored(score, n, effect, largest, rarer, df)
    p = proportion(rows, 0.95, neutral)["p"].item()
    # 1 less a confidence near 1 has few digits
    assert p == pytest.approx(bisected_p(rows, neutral), rel=1e-4, abs=1e-10)
    mirrored = proportion(rows.assign(estimate=1 - score), 0.95, 1 - neutral)
    assert mirrored["p"].item() == pytest.approx(p)
    for confidence in (0.9, 0.95, 0.99):
        low, high = ends_of(rows, confidence, neutral)
        assert (low <= 100 * neutral <= high) == (p >= 1 - confidence)


def literal_holm(p: list[float]) -> list[float]:
    """Holm 1979: the k-th smallest of m is multiplied by m - k + 1; never below an earlier one, at most 1."""
    corrected, largest = [0.0] * len(p), 0.0
    for k, index in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        largest = max(largest, min(1.0, (len(p) - k) * p[index]))
        corrected[index] = largest
    return corrected


def test_holm_within_families() -> None:
    """A test without p is in none."""
    rng = np.random.default_rng(0)
    p = np.append(rng.random(40) ** 4, np.nan)
    kind = rng.choice(["a", "b"], 41)
    protocol = [None if i % 3 else "published" for i in range(41)]
    frame = pd.DataFrame({"p": p, "kind": kind, "protocol": protocol}, index=range(100, 141))
    found = holm(frame, by=["kind", "protocol"])["p_holm"]
    for family in {*zip(kind[:40], protocol[:40], strict=True)}:
        members = [i for i in range(40) if (kind[i], protocol[i]) == family]
        assert list(found.iloc[members]) == pytest.approx(literal_holm([p[i] for i in members]))
    assert np.isnan(found[140]) and holm(frame[:0], by=["kind"]).empty


# ---- how often an interval holds the truth

DRAWS = 1000
ERROR = 100 * np.sqrt(0.95 * 0.05 / DRAWS)
"""Standard error of a share near 95% among so many draws, in points."""
OF_WORDS = (0.0, 0.1, 0.3, 0.6)
"""How much of a margin's variance is that of its words, the same wherever they stand; the rest is its
pair's own."""
MEANS = (0.0, 0.7)
"""Mean margins, in standard deviations: half of the pairs decided for the stereotype, and three in four."""
NEAR_THE_EDGE = tuple(float(norm.ppf(truth)) for truth in (0.9, 0.95, 0.99))

Sides = Sequence[tuple[Sequence[str], Sequence[str]]]
"""The modified words of each pair, stereotype and antistereotype."""


def zipf(pairs: int, words: int) -> Sides:
    """One word a side out of so many, the k-th of a side 1/k times as often as its first."""
    chances = 1 / np.arange(1, words + 1)
    chosen = np.random.default_rng(0).choice(words, size=(pairs, 2), p=chances / chances.sum())
    return [([f"s{one}"], [f"a{other}"]) for one, other in chosen]


def real(format_: str, *place: str) -> Sides:
    pairs = read_benchmark(real_data(*place), {"format": format_})
    return [modified_words(*texts) for texts in pairs[["stereotype", "antistereotype"]].to_numpy().tolist()]


WORLDS: dict[str, Callable[[], Sides]] = {
    "500 pairs, 100 words a side": lambda: zipf(500, 100),
    "the words of CrowS-Pairs": lambda: real("crows-pairs", "crows_pairs", "crows_pairs_anonymized.csv"),
    "the words of StereoSet": lambda: real("stereoset", "stereoset", "dev.json"),
}


class World:
    """Draws of the margins of one world: its words' part, and the pairs' own, shape (pairs, draws)."""

    def __init__(self, sides: Sides) -> None:
        rng = np.random.default_rng(1)
        of_words = pd.DataFrame(
            [
                (row, word, sign)
                for row, pair in enumerate(sides)
                for side, sign in zip(pair, (1.0, -1.0), strict=True)
                for word in side
            ],
            columns=["row", "word", "sign"],
        )
        table = of_words.pivot_table("sign", "row", "word", "sum", 0.0)
        signed = table.reindex(range(len(sides)), fill_value=0.0).to_numpy()
        # every pair's words weigh the same
        signed = signed / np.maximum(np.linalg.norm(signed, axis=1, keepdims=True), 1e-9)
        self.sharing = Sharing.of([{*one, *other} for one, other in sides])
        self.lexical = signed @ rng.standard_normal((signed.shape[1], DRAWS))
        self.noise = rng.standard_normal((len(sides), DRAWS))

    def coverage(self, of_words: float, mean: float) -> tuple[float, pd.DataFrame, float]:
        """How many intervals of 100 hold the truth, these, and how many of Wilson's of independent pairs."""
        margins = np.sqrt(of_words) * self.lexical + np.sqrt(1 - of_words) * self.noise + mean
        preferred: Floats = (margins > 0).astype(float)
        truth, scores = float(norm.cdf(mean)), contrast(preferred, self.sharing)
        ends = proportion(scores, 0.95)
        # an end at 100 is 100 but for rounding
        inside = (ends["low"] <= 100 * truth + 1e-9) & (100 * truth <= ends["high"] + 1e-9)
        low, high = wilson(scores["estimate"], scores["n"], normal_quantile(0.95))
        known = ends["low"].notna()
        assert known.any()
        of_independent = 100 * np.mean((low <= truth) & (truth <= high))
        return 100 * inside[known].mean(), ends[known], float(of_independent)


@pytest.mark.thorough
@pytest.mark.parametrize("world", WORLDS)
def test_intervals_hold_the_truth(world: str) -> None:
    drawn = World(WORLDS[world]())
    for of_words in OF_WORDS:
        for mean in (*MEANS, *NEAR_THE_EDGE):
            coverage, _, of_independent = drawn.coverage(of_words, mean)
            assert coverage >= 93 - 2 * ERROR, (of_words, mean)
            if mean in MEANS:
                assert coverage <= 97 + 2 * ERROR, (of_words, mean)
                assert of_independent < 93 or of_words < 0.2


@pytest.mark.parametrize("pairs", [5, 20])
@pytest.mark.parametrize("count", [3, 4, 5, 10, 20, 50])
def test_few_words_make_no_interval_too_narrow(count: int, pairs: int) -> None:
    """So many word pairs of so many pairs each, up to where words decide everything, and truths up to 99;
    among them no bias at all: 50."""
    drawn = World([([f"s{word}"], [f"a{word}"]) for word in range(count) for _ in range(pairs)])
    for of_words in (*OF_WORDS, 0.9, 1.0):
        for mean in (*MEANS, *NEAR_THE_EDGE):
            coverage, ends, _ = drawn.coverage(of_words, mean)
            assert coverage >= 93 - 2 * ERROR, (of_words, mean)
            if mean == 0:
                false = (ends["low"] > 50).mean() + (ends["high"] < 50).mean()
                assert false <= (5 + 3 * ERROR) / 100
