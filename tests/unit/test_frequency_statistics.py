"""Group words, how often corpora have them, Table 2, log ratios of pairs and their link with margins.

Against slow and obvious counts.
"""

import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import synthetic
from library import (
    CORRELATIONS,
    EXTRACTED,
    GROUP_WORDS,
    LISTED,
    PAIR_RATIOS,
    InputError,
    compare_groups,
    correlation_table,
    count_group_words,
    counts_of,
    extract,
    levels,
    log_ratios,
    ranked,
    read_listed,
    rows_of,
    spearman,
    uses,
    write_table,
)
from naive import pairs_of, write_counts
from study_schema import MEASURES

Rows = list[tuple[str, str, int, int]]


def test_a_word_goes_to_the_group_that_more_pairs_use_it_for() -> None:
    pairs = pairs_of(
        ("gender", "she ran", "he ran", "stereo"),
        ("gender", "she sat", "he sat", "stereo"),
        ("gender", "he won", "she won", "antistereo"),
        # once the other way round: he is used three times for the advantaged, once for the disadvantaged
        ("gender", "he lost", "people lost", "stereo"),
        # as often for either: in no group
        ("gender", "kids ran", "men ran", "stereo"),
        ("gender", "women sat", "kids sat", "stereo"),
        # twice in one sentence is one pair
        ("age", "old old", "young young", "stereo"),
        # no direction: it says nothing
        ("age", "grey", "young", None),
        # another group of another bias type
        ("nationality", "mexican", "american", "stereo"),
        ("race-color", "american", "european", "stereo"),
    )
    used: Any = uses(pairs).set_index(["bias_type", "word"])
    assert used.loc[("gender", "he")].tolist() == [3, 1]
    assert used.loc[("gender", "she")].tolist() == [0, 3]
    assert used.loc[("age", "young")].tolist() == [1, 0]
    assert ("age", "grey") not in used.index

    def groups(min_pairs: int, left_out: frozenset[str] = frozenset()) -> dict[tuple[str, str], str]:
        found = extract(uses(pairs), left_out, min_pairs)
        keys = zip(found["bias_type"], found["word"], strict=True)
        return dict(zip(keys, found["group"], strict=True))

    every = groups(1)
    assert every[("gender", "he")] == every[("gender", "men")] == every[("age", "young")] == "advantaged"
    assert every[("gender", "she")] == every[("gender", "women")] == every[("age", "old")] == "disadvantaged"
    assert ("gender", "kids") not in every
    of_types = [every[bias_type, "american"] for bias_type in ("nationality", "race-color")]
    assert of_types == ["advantaged", "disadvantaged"]
    assert groups(3) == {("gender", "he"): "advantaged", ("gender", "she"): "disadvantaged"}
    assert ("gender", "he") not in groups(1, frozenset({"he"}))


def test_group_words_with_counts_and_words_listed_by_hand(tmp_path: Path) -> None:
    rows = [
        ("gender", "women are weak", "men are weak", "stereo"),
        ("gender", "she is weak", "he is weak", "stereo"),
        ("age", "old men", "young men", "stereo"),
    ]
    counts = write_counts(tmp_path / "c.parquet", {"he": 500, "she": 150, "men": 100, "rest": 199_000})
    # what all corpora have is added up
    more = write_counts(tmp_path / "d.parquet", {"she": 50, "rest": 200})
    listing = tmp_path / "listed.yaml"
    listing.write_text(
        "source: a book\nwords:\n"
        "  gender: {advantaged: [men, boys], disadvantaged: [women]}\n"
        "  religion: {advantaged: [christian], disadvantaged: [jewish]}\n"
    )
    listed = read_listed(listing)
    words, tokens = count_group_words(pairs_of(*rows, *rows), [counts, more], frozenset(), listed)
    assert tokens == 200_000
    assert list(words.columns) == GROUP_WORDS.names
    # religion is no bias type of these pairs; boys is in none of them
    shown = ["words_from", "bias_type", "group", "word", "count", "per_million"]
    assert words[shown].to_numpy().tolist() == [
        [EXTRACTED, "gender", "advantaged", "he", 500, 2500],
        [EXTRACTED, "gender", "advantaged", "men", 100, 500],
        [EXTRACTED, "gender", "disadvantaged", "she", 200, 1000],
        [EXTRACTED, "gender", "disadvantaged", "women", 0, 0],
        [EXTRACTED, "age", "advantaged", "young", 0, 0],
        [EXTRACTED, "age", "disadvantaged", "old", 0, 0],
        [LISTED, "gender", "advantaged", "men", 100, 500],
        [LISTED, "gender", "advantaged", "boys", 0, 0],
        [LISTED, "gender", "disadvantaged", "women", 0, 0],
    ]
    assert words.query("words_from == @LISTED")["pairs_advantaged"].tolist() == [2, 0, 0]
    write_table(tmp_path / "words.parquet", words, GROUP_WORDS, {})
    with pytest.raises(InputError, match="they have no words"):
        counts_of(["he"], [write_counts(tmp_path / "empty.parquet", {})])


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
    assert row["u"] == slow_u(*counts) == 25 * row["effect"]
    assert row["p"] == pytest.approx(exact_p(*counts))


def test_counts_whose_log_ratio_is_rounded_to_nothing_are_of_one_level() -> None:
    # 1000 and 1004 are one level, and 1008 is within half a percent of the latter
    assert levels([1008, 0, 1000, 7, 1004, 2000]).tolist() == [2, 0, 2, 1, 2, 3]
    # |log(n + 0.5) - log(2000.5)| < 0.005 up to 2010
    assert levels([2000, 2010]).tolist() == [0, 0] and levels([2000, 2011]).tolist() == [0, 1]
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
    # of one group alone there is no test
    alone = words_of([("advantaged", "x", 1, 3)], "religion")
    kinds = [words_of(strong, "race"), words_of(weak, "age"), alone, words_of(strong, "race", "listed")]
    found = compare_groups(ranked(pd.concat(kinds, ignore_index=True)))
    p = found["p"].tolist()
    assert p[0] == pytest.approx(2 / 252)
    # two tests make the family, and the listed words are their own
    assert found["p_holm"].tolist() == pytest.approx([2 * p[0], p[1], math.nan, p[0]], nan_ok=True)
    assert np.isnan(p[2]) and np.isnan(found["rank_disadvantaged"].iloc[2])


# pairs


def slow_ranks(values: list[float]) -> list[float]:
    """1 for the smallest; equals share the mean of their places."""
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2
        for value in values
    ]


def slow_spearman(first: list[float], second: list[float]) -> float:
    a, b = slow_ranks(first), slow_ranks(second)
    mean = (len(a) + 1) / 2
    covariance = sum((x - mean) * (y - mean) for x, y in zip(a, b, strict=True))
    return covariance / math.sqrt(sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=30))
def test_spearman_equals_a_slow_one(points: list[tuple[float, float]]) -> None:
    first, second = [float(x) for x, _ in points], [float(y) for _, y in points]
    found = spearman(np.array(first), np.array(second), 0.9)
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert np.isnan(found.rho)
        return
    rho = slow_spearman(first, second)
    assert found.rho == pytest.approx(rho)
    if abs(rho) > 1 - 1e-9 or len(first) < 4:
        assert np.isnan(found.low)
        return
    # Bonett & Wright 2000: the variance of Fisher's z is (1 + rho²/2) / (n - 3)
    z = 0.5 * math.log((1 + rho) / (1 - rho))
    reach = float(norm.ppf(0.95)) * math.sqrt((1 + rho * rho / 2) / (len(first) - 3))
    for end, value in ((z - reach, found.low), (z + reach, found.high)):
        assert value == pytest.approx((math.exp(2 * end) - 1) / (math.exp(2 * end) + 1))


def test_log_ratios_are_means_of_smoothed_logarithms_stereotype_first(tmp_path: Path) -> None:
    pairs = pairs_of(
        ("gender", "she is here", "he is here", "stereo"),
        # the direction does not turn it round
        ("gender", "he is there", "she is there", "antistereo"),
        ("age", "an old grandmother sat", "a young boy sat", "stereo"),
        ("age", "these old people", "these people", "stereo"),
        ("age", "the same", "the same", "stereo"),
        ("age", "zyx", "he", None),
    )
    counts = {"he": 100, "she": 25, "an": 50, "a": 400, "old": 10, "young": 20, "boy": 8, "the": 999}
    files = [write_counts(tmp_path / f"{n}.parquet", some) for n, some in enumerate((counts, {"she": 15}))]
    ratios, tokens = log_ratios(pairs, files)
    counts["she"] += 15
    assert tokens == sum(counts.values())

    def level(*words: str) -> float:
        return sum(math.log(counts.get(word, 0) + 0.5) for word in words) / len(words)

    of_ages = level("an", "old", "grandmother") - level("a", "young", "boy")
    of_she = level("she") - level("he")
    expected = [of_she, -of_she, of_ages, math.nan, math.nan, level("zyx") - level("he")]
    assert ratios["log_ratio"].tolist() == pytest.approx(expected, nan_ok=True)
    write_table(tmp_path / "ratios.parquet", ratios, PAIR_RATIOS, {})


def ratios_of(pairs: pd.DataFrame, values: Any) -> pd.DataFrame:
    return pd.DataFrame({"pair_id": pairs["pair_id"], "log_ratio": values})


def test_the_link_is_spearman_of_the_pairs_that_have_both(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    parts = synthetic.make(80, seed=5)
    values = rng.choice([-2.0, -1, 0, 1, 2, np.nan], 80)
    found = correlation_table(parts.pairs, parts.scores, ratios_of(parts.pairs, values), 0.95)
    assert set(found["grouping"]) == {"overall", "bias_type"}
    assert len(found) == len(MEASURES) * 2 * (1 + parts.pairs["bias_type"].nunique())
    for row in rows_of(found):
        decided = synthetic.decided(parts.scores, row.measure, row.protocol)
        first, second, left_out = [], [], 0
        for pair_id, bias_type, ratio in zip(
            parts.pairs["pair_id"], parts.pairs["bias_type"], values, strict=True
        ):
            if row.group in ("all", bias_type):
                if math.isnan(ratio) or math.isnan(decided[pair_id][1]):
                    left_out += 1
                else:
                    first.append(float(ratio))
                    second.append(decided[pair_id][1])
        assert (row.n, row.left_out) == (len(first), left_out)
        assert row.rho == pytest.approx(slow_spearman(first, second))
        assert row.low < row.rho < row.high
    write_table(tmp_path / "link.parquet", found, CORRELATIONS, {})
    with pytest.raises(InputError, match="not those of this benchmark"):
        correlation_table(parts.pairs, parts.scores, ratios_of(parts.pairs[::-1], np.zeros(80)), 0.95)


def test_a_link_that_is_undefined_says_why(tmp_path: Path) -> None:
    parts = synthetic.make(40, seed=6)
    pairs = parts.pairs.assign(bias_type=["one"] * 2 + ["flat"] * 18 + ["steep"] * 20)
    scores = parts.scores.assign(margin=parts.scores["pair_id"].str[1:].astype(float), outcome="stereotype")
    # ratios that differ by less than a hundredth are taken as equal
    values = [1.0, 2.0, *np.linspace(0.996, 1.004, 18), *np.arange(20.0)]
    found = correlation_table(pairs, scores, ratios_of(pairs, values), 0.95).drop_duplicates("group")
    reasons = dict(zip(found["group"], found["reason"], strict=True))
    assert reasons["one"] == "fewer than four pairs"
    assert reasons["flat"] == "every ratio is the same"
    assert reasons["steep"] == "no interval: the correlation is perfect"
    assert found.set_index("group").loc["steep", "rho"] == 1.0
    level = correlation_table(pairs, scores.assign(margin=1.0), ratios_of(pairs, np.arange(40.0)), 0.95)
    assert level.loc[level["group"] == "all", "reason"].tolist()[0] == "every margin is the same"
    write_table(tmp_path / "link.parquet", level, CORRELATIONS, {})
