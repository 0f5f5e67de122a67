"""Which words name which group, and how often corpora have them."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from grouped_words import pairs_of, write_counts
from library import (
    EXTRACTED,
    GROUP_WORDS,
    LISTED,
    InputError,
    count_group_words,
    counts_of,
    extract,
    modified_words,
    read_benchmark,
    read_listed,
    rows_of,
    uses,
    write_table,
)
from real_data import real_data


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


def test_bad_counts_are_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"no")
    empty = write_counts(tmp_path / "empty.parquet", {})
    for path, message in (
        (tmp_path / "none.parquet", "no such file"),
        (broken, "broken.parquet: not a readable Parquet file"),
        (empty, "they have no words"),
    ):
        with pytest.raises(InputError, match=message):
            counts_of(["he"], [path])


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


def test_uses_equal_a_slow_count(tmp_path: Path) -> None:
    path = real_data("crows_pairs", "crows_pairs_anonymized.csv")
    pairs = read_benchmark(path, {"format": "crows-pairs"})
    slow: Counter[tuple[str, str, str]] = Counter()
    for row in rows_of(pairs):
        stereotype, antistereotype = modified_words(row.stereotype, row.antistereotype)
        named = "disadvantaged" if row.direction == "stereo" else "advantaged"
        other = "advantaged" if row.direction == "stereo" else "disadvantaged"
        slow.update((row.bias_type, word, named) for word in set(stereotype))
        slow.update((row.bias_type, word, other) for word in set(antistereotype))
    used = uses(pairs)
    assert len(used) == len({key[:2] for key in slow})
    for group in ("advantaged", "disadvantaged"):
        keys = zip(used["bias_type"], used["word"], strict=True)
        assert used[f"pairs_{group}"].tolist() == [slow[(*key, group)] for key in keys]
