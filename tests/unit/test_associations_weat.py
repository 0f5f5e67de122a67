"""WEAT: s, d, p and intervals against definitions by loops, and against published numbers."""

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from library import InputError, association_tests, expected_d
from library import associations_p_values as p_values
from library import rows_of as tuples_of
from literal_associations import Array, holm, mean, partition_counts, s, size, suite, words
from profiles import examples
from real_data import real_data

MATH = ["math", "algebra", "geometry", "calculus", "equations", "computation", "numbers", "addition"]
ARTS = ["poetry", "art", "dance", "literature", "novel", "symphony", "drama", "sculpture"]
MALE = ["male", "man", "boy", "brother", "he", "him", "his", "son"]
FEMALE = ["female", "woman", "girl", "sister", "she", "her", "hers", "daughter"]
KEYS = {"X": "targ1", "Y": "targ2", "A": "attr1", "B": "attr2"}


def run(stimuli: pd.DataFrame, vectors: Any, seed: int = 0, confidence: float = 0.95) -> pd.DataFrame:
    """All tests in one pooling, or in those of a mapping."""
    embeddings = vectors if isinstance(vectors, dict) else {"cls": vectors}
    return association_tests(stimuli, embeddings, seed, confidence).astype({"unit": str, "reason": object})


def named(test: str, **sizes: int) -> list[Any]:
    return words(test, **{name: [f"{test}-{name}{i}" for i in range(n)] for name, n in sizes.items()})


def random_vectors(stimuli: pd.DataFrame, seed: int, width: int = 5) -> Array:
    return np.random.default_rng(seed).normal(size=(stimuli["stimulus"].max() + 1, width))


def s_of(stimuli: pd.DataFrame, vectors: Array) -> tuple[list[float], list[float]]:
    """s of X and of Y, by loops."""
    sets = {name: list(vectors[rows["stimulus"]]) for name, rows in stimuli.groupby("set")}
    left, right = ([s(w, sets["A"], sets["B"]) for w in sets[name]] for name in "XY")
    return left, right


@settings(max_examples=examples(30), deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(1, 5), st.integers(1, 3))
def test_words_are_as_loops_over_cosines(seed: int, x: int, y: int, a: int) -> None:
    stimuli = suite(*named("one", X=x, Y=y, A=a, B=3))
    vectors = random_vectors(stimuli, seed)
    left, right = s_of(stimuli, vectors)
    one, two, total = partition_counts(left, right)
    rows = run(stimuli, vectors)
    assert rows["unit"].tolist() == ["text", "word"]
    for row in rows.pipe(tuples_of):
        assert (row.x, row.y, row.a, row.b) == (x, y, a, 3)
        assert row.mean_difference == pytest.approx(mean(left) - mean(right), rel=1e-9)
        assert row.d == pytest.approx(size(left, right), rel=1e-9)
        assert row.statistic == pytest.approx(sum(left) - sum(right), rel=1e-9)
        assert pd.isna(row.d_low) == (min(x, y) == 1)
        if min(x, y) == 1:
            assert math.isnan(row.p) and row.reason == "a set of one unit leaves too few partitions for a p"
            continue
        assert (row.p, row.p_two) == (pytest.approx(one / total), pytest.approx(two / total))
        assert row.expected_d == expected_d(x, y)
        # no sets could have less
        assert row.least_p == (2 if x == y else 1) / total <= row.p_two


def test_a_word_counts_once_however_many_texts_it_has() -> None:
    """s of a target word is the mean over its texts; attributes count text by text."""
    counts = {"X": [3, 1, 2], "Y": [1, 2, 1, 1], "A": [2, 1], "B": [1, 3]}
    stimuli = suite(
        *(
            ("t", name, None, f"{name}{word}", f"{i} {name}{word}", None)
            for name, numbers in counts.items()
            for word, number in enumerate(numbers)
            for i in range(number)
        )
    )
    vectors = random_vectors(stimuli, 3)
    left, right = s_of(stimuli, vectors)
    by_word = [
        [mean(part.tolist()) for part in np.split(np.array(values), np.cumsum(counts[name])[:-1])]
        for name, values in (("X", left), ("Y", right))
    ]
    rows = run(stimuli, vectors).set_index("unit")
    for unit, (x, y) in {"text": (left, right), "word": by_word}.items():
        assert rows.loc[unit, "d"] == pytest.approx(size(x, y), rel=1e-9)
        assert rows.loc[unit, "p"] == pytest.approx(
            partition_counts(x, y)[0] / math.comb(len(x) + len(y), len(x))
        )
    assert rows[["x", "y", "a", "b"]].T.to_dict("list") == {"text": [6, 5, 3, 4], "word": [3, 4, 2, 2]}


def test_d_has_an_expectation_without_bias() -> None:
    assert expected_d(8, 8) == pytest.approx(0.399, abs=5e-4)
    for n, m in ((8, 8), (20, 7)):
        drawn = np.random.default_rng(0).normal(size=(20_000, n + m))
        d = (drawn[:, :n].mean(axis=1) - drawn[:, n:].mean(axis=1)) / drawn.std(axis=1, ddof=1)
        assert np.abs(d).mean() == pytest.approx(expected_d(n, m), rel=0.02)


def test_values_that_vary_by_rounding_have_no_d() -> None:
    stimuli = suite(*named("one", X=3, Y=3, A=2, B=2))
    vectors = random_vectors(stimuli, 0)
    vectors[:6] = vectors[0] * (1 + 1e-9 * vectors[:6])
    for row in run(stimuli, vectors).pipe(tuples_of):
        assert math.isnan(row.d) and math.isnan(row.d_low) and (row.p, row.p_two) == (1, 1)
        assert row.reason == "s varies by less than 1e-06, which is rounding"


def test_a_vector_without_a_direction_is_refused() -> None:
    stimuli = suite(*named("one", X=2, Y=2, A=2, B=2))
    vectors = random_vectors(stimuli, 0)
    expected = run(stimuli, vectors)["d"]
    # neither too small nor too large for squares in single precision
    for scale in (1e-30, 1e30):
        assert run(stimuli, (scale * vectors).astype("f4"))["d"].to_numpy() == pytest.approx(
            expected, rel=1e-5
        )
    for broken in (0.0, np.nan, np.inf):
        vectors[1] = broken
        with pytest.raises(InputError, match="the vector of 'one-X1' is zero or not finite"):
            run(stimuli, vectors)


def test_drawn_p_is_near_that_of_all_partitions_and_never_zero() -> None:
    """12 and 9 are more partitions than are counted."""
    rng = np.random.default_rng(4)
    x, y = rng.normal(0.6, 1, size=12), rng.normal(size=9)
    # the sums of all subsets of 12, by meeting of none: in blocks
    values = np.concatenate([x, y])
    chosen = np.array(list(itertools.combinations(range(21), 12)), dtype=np.int8)
    sums = values[chosen].sum(axis=1)
    centre = 12 * values.mean()
    drawn = p_values(x[None], y[None], 0)
    assert drawn["p"][0] == pytest.approx((sums >= x.sum() - 1e-12).mean(), abs=3e-3)
    assert drawn["p_two"][0] == pytest.approx(
        (abs(sums - centre) >= abs(x.sum() - centre) - 1e-12).mean(), abs=3e-3
    )
    assert drawn["p"][0] == p_values(x[None], y[None], 0)["p"][0] != p_values(x[None], y[None], 1)["p"][0]
    apart = p_values(x[None] + 100, y[None], 0)
    assert apart["p"][0] == apart["p_two"][0] == apart["least_p"][0] == 1 / 100_000


def test_intervals_are_percentiles_of_resampled_units() -> None:
    stimuli = suite(*named("one", X=8, Y=6, A=2, B=3))
    vectors = random_vectors(stimuli, 8)
    x, y = map(np.array, s_of(stimuli, vectors))
    rng = np.random.default_rng(5)
    samples = [size(rng.choice(x, 8).tolist(), rng.choice(y, 6).tolist()) for _ in range(4000)]
    row = run(stimuli, vectors, confidence=0.8).iloc[0]
    assert (row["d_low"], row["d_high"]) == pytest.approx(np.quantile(samples, [0.1, 0.9]), abs=0.08)
    assert row["d_low"] < row["d"] < row["d_high"]


def test_holm_is_over_the_tests_of_a_pooling_and_unit() -> None:
    tests = [named(f"t{i}", X=4, Y=3, A=2, B=2) for i in range(4)]
    stimuli = suite(*(row for test in tests for row in test))
    embeddings = {pooling: random_vectors(stimuli, seed) for seed, pooling in enumerate(("cls", "mean"))}
    rows = run(stimuli, embeddings)
    assert len(rows) == 4 * 2 * 2
    for _, family in rows.groupby(["pooling", "unit"], observed=True):
        assert family["p_holm"].to_numpy() == pytest.approx(holm(family["p_two"].tolist()))


def vectors_of(path: Path) -> dict[str, Array]:
    rows = [line.split(" ") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    return {word: np.array(numbers, dtype=np.float32) for word, *numbers in rows}


def of_words(vectors: dict[str, Array], **sets: list[str]) -> pd.DataFrame:
    stimuli = suite(*words("test", **sets))
    return run(stimuli, np.stack([vectors[text] for text in stimuli["text"]]))


def test_math_and_arts_of_glove() -> None:
    vectors = vectors_of(real_data("vectors", "glove_math_32.txt"))
    for row in of_words(vectors, X=MATH, Y=ARTS, A=MALE, B=FEMALE).pipe(tuples_of):
        assert row.d == pytest.approx(1.0550148, abs=5e-7)
        assert row.p == pytest.approx(202 / 12870, rel=1e-12) and row.least_p == 2 / 12870


@pytest.mark.parametrize(("test", "d", "p"), [("weat1", 1.539347, 1e-5), ("weat6", 1.889868, 1 / 12870)])
def test_word2vec(test: str, d: float, p: float) -> None:
    vectors = vectors_of(real_data("vectors", "w2v_weat_347.txt"))
    file = json.loads(real_data("seat", f"{test}.jsonl").read_text(encoding="utf-8"))
    rows = of_words(vectors, **{name: file[key]["examples"] for name, key in KEYS.items()})
    assert rows["d"].to_numpy() == pytest.approx(d, abs=1e-6)
    assert rows["p"].to_numpy() == pytest.approx(p, rel=1e-12)
