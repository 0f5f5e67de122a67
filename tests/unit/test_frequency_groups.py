"""Which words name which group, how often corpora have them, and Table 2, against slow counts."""

import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from grouped_words import pairs_of, write_counts
from library import (
    EXTRACTED,
    GROUP_WORDS,
    LISTED,
    InputError,
    compare_groups,
    count_group_words,
    counts_of,
    extract,
    levels,
    ranked,
    read_listed,
    uses,
    write_table,
)

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
    pairs = pairs_of(*rows, *rows)
    counts = write_counts(tmp_path / "c.parquet", {"he": 500, "she": 150, "men": 100, "rest": 199_000})
    # what all corpora have is added up
    more = write_counts(tmp_path / "d.parquet", {"she": 50, "rest": 200})
    listing = tmp_path / "listed.yaml"
    listing.write_text(
        "source: a book\nwords:\n"
        "  gender: {advantaged: [men, boys], disadvantaged: [women]}\n"
        "  religion: {advantaged: [christian], disadvantaged: [jewish]}\n"
    )
    words, tokens = count_group_words(pairs, [counts, more], frozenset(), read_listed(listing))
    assert tokens == 200_000
    assert list(words.columns) == GROUP_WORDS.names
    extracted = words[words["words_from"] == EXTRACTED]
    assert extracted[["bias_type", "group", "word", "count"]].to_numpy().tolist() == [
        ["gender", "advantaged", "he", 500],
        ["gender", "advantaged", "men", 100],
        ["gender", "disadvantaged", "she", 200],
        ["gender", "disadvantaged", "women", 0],
        ["age", "advantaged", "young", 0],
        ["age", "disadvantaged", "old", 0],
    ]
    assert extracted["per_million"].tolist() == [2500.0, 500.0, 1000.0, 0.0, 0.0, 0.0]
    # religion is no bias type of these pairs; boys is in none of them
    listed = words[words["words_from"] == LISTED]
    assert listed[["word", "group", "pairs_advantaged", "count"]].to_numpy().tolist() == [
        ["men", "advantaged", 2, 100],
        ["boys", "advantaged", 0, 0],
        ["women", "disadvantaged", 0, 0],
    ]
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
