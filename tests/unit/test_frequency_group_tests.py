"""Table 2: ranks, medians and tests, against slow and obvious counts."""

import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from library import SHOWN, compare_groups, levels, mann_whitney, ranked
from profiles import examples

Rows = list[tuple[str, str, int, int]]


def words_of(rows: Rows, bias_type: str = "gender", words_from: str = "extracted") -> pd.DataFrame:
    """Group words from (group, word, pairs that use it, count)."""
    return pd.DataFrame(
        {
            "benchmark": "cp",
            "words_from": words_from,
            "bias_type": bias_type,
            "group": [row[0] for row in rows],
            "word": [row[1] for row in rows],
            "pairs_advantaged": [row[2] if row[0] == "advantaged" else 0 for row in rows],
            "pairs_disadvantaged": [row[2] if row[0] == "disadvantaged" else 0 for row in rows],
            "count": [row[3] for row in rows],
            "per_million": [float(row[3]) for row in rows],
        }
    )


def slow_u(first: list[float], second: list[float]) -> float:
    return sum(1.0 if a > b else 0.5 if a == b else 0.0 for a in first for b in second)


def exact_p(first: list[float], second: list[float]) -> float:
    """The two-sided p by trying every way to split the values in two; no two are equal."""
    values, n = [*first, *second], len(first)
    every = []
    for chosen in combinations(range(len(values)), n):
        others = [values[i] for i in range(len(values)) if i not in chosen]
        every.append(slow_u([values[i] for i in chosen], others))
    u = slow_u(first, second)
    tail = min(sum(x >= u for x in every), sum(x <= u for x in every)) / len(every)
    return min(1.0, 2 * tail)


@given(
    st.lists(st.integers(0, 12), min_size=9, max_size=20),
    st.lists(st.integers(0, 12), min_size=9, max_size=20),
)
def test_mann_whitney_equals_a_slow_count(first: list[float], second: list[float]) -> None:
    if len({*first, *second}) == 1:
        return
    found = mann_whitney(np.array(first, float), np.array(second, float))
    u = slow_u(first, second)
    assert found.u == u
    assert found.effect == pytest.approx(u / len(first) / len(second))


def test_ranks_are_within_the_eight_words_shown_and_add_up_to_nine() -> None:
    rows: Rows = [
        ("advantaged", "he", 70, 900),
        ("advantaged", "his", 45, 800),
        ("advantaged", "men", 36, 100),
        ("advantaged", "man", 15, 300),
        # used by fewer pairs: not shown, however frequent
        ("advantaged", "people", 3, 5000),
        ("disadvantaged", "she", 70, 400),
        ("disadvantaged", "her", 54, 500),
        ("disadvantaged", "women", 34, 60),
        ("disadvantaged", "woman", 16, 90),
        ("disadvantaged", "girl", 2, 70),
    ]
    found = ranked(words_of(rows)).set_index("word")["rank"]
    assert found.dropna().to_dict() == {
        "he": 1, "his": 2, "her": 3, "she": 4, "man": 5, "men": 6, "woman": 7, "women": 8,
    }  # fmt: skip
    row = compare_groups(ranked(words_of(rows))).iloc[0]
    assert (row["rank_advantaged"], row["rank_disadvantaged"]) == (3.5, 5.5)
    # the test and the median are over all words, shown or not
    assert (row["words_advantaged"], row["words_disadvantaged"]) == (5, 5)
    assert (row["per_million_advantaged"], row["per_million_disadvantaged"]) == (800.0, 90.0)
    counts = [[float(r[3]) for r in rows if r[0] == group] for group in ("advantaged", "disadvantaged")]
    assert row["u"] == slow_u(*counts)
    assert row["p"] == pytest.approx(exact_p(*counts))


@settings(max_examples=examples(15), deadline=None)
@given(st.lists(st.integers(0, 5), min_size=8, max_size=8))
def test_four_against_four_add_up_to_nine_whatever_is_equal(counts: list[int]) -> None:
    groups = ["advantaged"] * SHOWN + ["disadvantaged"] * SHOWN
    rows = [(group, f"w{i}", 1, count) for i, (group, count) in enumerate(zip(groups, counts, strict=True))]
    row = compare_groups(ranked(words_of(rows))).iloc[0]
    assert row["rank_advantaged"] + row["rank_disadvantaged"] == pytest.approx(9)


@given(st.integers(0, 5000), st.integers(0, 5000))
def test_two_counts_are_equal_where_their_log_ratio_is_rounded_to_nothing(one: int, other: int) -> None:
    difference = math.log(one + 0.5) - math.log(other + 0.5)
    # the boundary itself is the business of float error
    if abs(abs(difference) - 0.005) > 1e-9:
        first, second = levels([one, other])
        assert (first == second) == (abs(difference) < 0.005)
        assert (first > second) == (difference > 0.005)


def test_levels_go_up_from_the_lowest_count() -> None:
    # 1000 and 1004 are one level, and 1008 is within half a percent of the latter
    assert levels([1008, 0, 1000, 7, 1004, 2000]).tolist() == [2, 0, 2, 1, 2, 3]
    assert levels([]).tolist() == []


def test_words_that_are_shown() -> None:
    """Of equally many pairs those first in the alphabet, whatever their frequency; listed words all."""
    words = words_of([("advantaged", word, 2, n) for word, n in zip("edcba", (99, 1, 2, 3, 4), strict=True)])
    assert sorted(ranked(words).dropna(subset="rank")["word"]) == list("abcd")
    listed = words_of([("advantaged", f"w{i}", 0, i) for i in range(6)], words_from="listed")
    assert ranked(listed)["rank"].tolist() == [6, 5, 4, 3, 2, 1]
    assert compare_groups(ranked(words_of([]))).empty


def test_holm_is_over_the_bias_types_of_one_benchmark_and_origin() -> None:
    strong: Rows = [("advantaged", f"a{i}", 1, 100 + i) for i in range(5)]
    strong += [("disadvantaged", f"d{i}", 1, i) for i in range(5)]
    weak: Rows = [("advantaged", "x", 1, 3), ("disadvantaged", "y", 1, 2), ("disadvantaged", "z", 1, 9)]
    kinds = [
        words_of(strong, "race"),
        words_of(weak, "age"),
        # of one group alone there is no test
        words_of([("advantaged", "x", 1, 3)], "religion"),
        words_of(strong, "race", "listed"),
    ]
    found = compare_groups(ranked(pd.concat(kinds, ignore_index=True)))
    p = found["p"].tolist()
    assert p[0] == pytest.approx(2 / 252)
    # two tests make the family, and the listed words are their own
    assert found["p_holm"].tolist() == pytest.approx([2 * p[0], p[1], math.nan, p[0]], nan_ok=True)
    assert np.isnan(p[2]) and np.isnan(found["rank_disadvantaged"].iloc[2])
    assert found["effect"].iloc[0] == 1.0
