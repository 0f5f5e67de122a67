"""s, gap, d and what they say of word vectors, against definitions by loops and against published numbers."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from literal_associations import Array, deviation, partition_counts, s, size, suite, words
from profiles import examples
from real_data import real_data
from unmask.associations.association import (
    Arm,
    Experiment,
    cosines,
    directed,
    effect,
    expected_size,
    unit,
)
from unmask.associations.testing import Options, association_tests

MATH = ["math", "algebra", "geometry", "calculus", "equations", "computation", "numbers", "addition"]
ARTS = ["poetry", "art", "dance", "literature", "novel", "symphony", "drama", "sculpture"]
MALE = ["male", "man", "boy", "brother", "he", "him", "his", "son"]
FEMALE = ["female", "woman", "girl", "sister", "she", "her", "hers", "daughter"]
KEYS = {"X": "targ1", "Y": "targ2", "A": "attr1", "B": "attr2"}


def experiment_of(x: Array, y: Array, a: Array, b: Array) -> Experiment:
    """Of vectors (n, D), one column."""
    ones = np.ones(len(a)), np.ones(len(b))
    left, right = (Arm(cosines(t, a)[None], cosines(t, b)[None], *ones) for t in (x, y))
    return Experiment("weat", left, right)


def vectors_of(path: Path) -> dict[str, Array]:
    vectors: dict[str, Array] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        word, *numbers = line.split(" ")
        if len(numbers) > 1:
            vectors[word] = np.array(numbers, dtype=np.float32)
    return vectors


def random_sets(seed: int, *sizes: int, width: int = 5) -> list[Array]:
    generator = np.random.default_rng(seed)
    return [generator.normal(size=(n, width)) for n in sizes]


@settings(max_examples=examples(30), deadline=None)
@given(st.integers(0, 10_000), st.tuples(*[st.integers(1, 6)] * 4))
def test_effects_are_those_of_the_definitions(seed: int, sizes: tuple[int, int, int, int]) -> None:
    x, y, a, b = random_sets(seed, *sizes)
    effects = effect(experiment_of(x, y, a, b))
    s_x, s_y = ([s(w, list(a), list(b)) for w in targets] for targets in (x, y))
    assert effects.gap[0] == pytest.approx(sum(s_x) / len(x) - sum(s_y) / len(y), rel=1e-10, abs=1e-14)
    assert effects.statistic[0] == pytest.approx(sum(s_x) - sum(s_y), rel=1e-10, abs=1e-14)
    assert effects.d[0] == pytest.approx(size(s_x, s_y), rel=1e-10)
    assert effects.d0[0] == pytest.approx(size(s_x, s_y, ddof=0), rel=1e-10)


def test_columns_are_each_by_itself() -> None:
    many = [
        np.stack(sets) for sets in zip(*(random_sets(seed, 4, 3, 5, 2) for seed in range(3)), strict=True)
    ]
    x, y, a, b = many
    left, right = (Arm(cosines(t, a), cosines(t, b), np.ones(5), np.ones(2)) for t in (x, y))
    together = effect(Experiment("weat", left, right))
    for column in range(3):
        alone = effect(experiment_of(*(sets[column] for sets in many)))
        assert [v[column] for v in together] == pytest.approx([v[0] for v in alone], rel=1e-12)


@settings(max_examples=examples(30), deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(2, 6))
def test_exchanged_sets_change_signs_only(seed: int, n: int, m: int) -> None:
    x, y, a, b = random_sets(seed, n, m, 3, 4)
    effects = effect(experiment_of(x, y, a, b))
    for other in (experiment_of(y, x, a, b), experiment_of(x, y, b, a)):
        turned = effect(other)
        for key in ("gap", "d", "d0", "statistic"):
            assert getattr(turned, key) == pytest.approx(-getattr(effects, key), rel=1e-10, abs=1e-14)
        assert turned.expected_d == effects.expected_d


def test_d_is_z_of_all_partitions() -> None:
    x, y, a, b = random_sets(3, 4, 3, 5, 5)
    experiment = experiment_of(x, y, a, b)
    values = [*experiment.x.s[0], *experiment.y.s[0]]
    gaps = []
    for chosen in itertools.combinations(range(7), 4):
        part = [values[i] for i in chosen]
        gaps.append(sum(part) / 4 - (sum(values) - sum(part)) / 3)
    z = effect(experiment).gap[0] / deviation(gaps, 0)
    assert effect(experiment).d[0] * math.sqrt(4 * 3 / 7) == pytest.approx(z, rel=1e-10)


def test_d_is_bounded_and_has_an_expectation() -> None:
    x, y = np.array([[1.0, 0]] * 8), np.array([[0, 1.0]] * 8)
    effects = effect(experiment_of(x, y, x[:2], y[:2]))
    assert effects.d[0] == pytest.approx(1.936, abs=5e-4)
    assert expected_size(8, 8) == pytest.approx(0.399, abs=5e-4)
    generator = np.random.default_rng(0)
    for n, m in ((8, 8), (20, 7)):
        values = generator.normal(size=(20_000, n + m))
        gaps = values[:, :n].mean(axis=1) - values[:, n:].mean(axis=1)
        average = np.abs(gaps / values.std(axis=1, ddof=1)).mean()
        assert average == pytest.approx(expected_size(n, m), rel=0.02)


def test_rounding_has_no_d() -> None:
    x, y, a, b = random_sets(0, 3, 3, 2, 2)
    near = np.broadcast_to(x[:1], (3, 5)) * (1 + 1e-9 * y)
    effects = effect(experiment_of(near, near[::-1], a, b))
    assert np.isnan(effects.d[0]) and np.isnan(effects.d0[0])
    assert abs(effects.gap[0]) < 1e-6


def test_vectors_without_a_direction_have_no_cosine() -> None:
    ok = np.ones((2, 3))
    for bad in (0.0, np.nan, np.inf):
        vectors = ok.copy()
        vectors[1] = bad
        assert directed(vectors).tolist() == [True, False]
        with pytest.raises(ValueError, match="zero or not finite"):
            cosines(ok, vectors)
    # neither too small nor too large for squares in single precision
    for scale in (1e-30, 1e30):
        assert unit(np.float32(scale) * ok.astype(np.float32)) == pytest.approx(unit(ok))


def test_an_arm_without_targets() -> None:
    x, y, a, b = random_sets(0, 2, 2, 2, 2)
    with pytest.raises(ValueError, match="both arms"):
        effect(experiment_of(x[:0], y, a, b))


def test_math_and_arts_of_glove() -> None:
    vectors = vectors_of(real_data("vectors", "glove_math_32.txt"))
    stimuli = suite(*words("math", X=MATH, Y=ARTS, A=MALE, B=FEMALE))
    of_stimuli = np.stack([vectors[text] for text in stimuli["text"]])
    rows = association_tests(stimuli, {"vectors": of_stimuli}, Options(bootstrap=0)).rows
    assert len(rows) == 3
    assert rows["d"].to_numpy() == pytest.approx(1.0550148, abs=5e-7)
    assert rows["p"].to_numpy() == pytest.approx(202 / 12870, rel=1e-12)
    assert rows["exact"].all() and rows["partitions"].eq(12870).all()


@pytest.mark.parametrize(("test", "d", "p"), [("weat1", 1.539347, None), ("weat6", 1.889868, 1 / 12870)])
def test_word2vec(test: str, d: float, p: float | None) -> None:
    vectors = vectors_of(real_data("vectors", "w2v_weat_347.txt"))
    file = json.loads(real_data("seat", f"{test}.jsonl").read_text(encoding="utf-8"))
    sets = {name: file[key]["examples"] for name, key in KEYS.items()}
    stimuli = suite(*words(test, **sets))
    of_stimuli = np.stack([vectors[text] for text in stimuli["text"]])
    rows = association_tests(stimuli, {"vectors": of_stimuli}, Options(bootstrap=0, permutations=1000)).rows
    assert rows["d"].to_numpy() == pytest.approx(d, abs=1e-6)
    if p is not None:
        assert rows["p"].to_numpy() == pytest.approx(p, rel=1e-12)


def test_p_of_a_whole_test() -> None:
    x, y, a, b = random_sets(5, 5, 4, 3, 3)
    names = {
        name: [f"{name}{i}" for i in range(len(members))]
        for name, members in zip("XYAB", (x, y, a, b), strict=True)
    }
    stimuli = suite(*words("made", **names))
    rows = association_tests(stimuli, {"vectors": np.concatenate([x, y, a, b])}).rows
    s_x, s_y = ([s(w, list(a), list(b)) for w in members] for members in (x, y))
    one, two, total = partition_counts(s_x, s_y)
    corrected = rows[rows["protocol"].eq("corrected")]
    assert corrected["p"].to_numpy() == pytest.approx(one / total)
    assert corrected["p_two"].to_numpy() == pytest.approx(two / total)
    [published] = rows[rows["protocol"].eq("published")].to_dict("records")
    assert np.isnan(published["p"]) and published["reason"] == "the released code takes X and Y of one size"
    assert published["d"] == pytest.approx(size(s_x, s_y))
