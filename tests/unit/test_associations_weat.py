"""Association tests against their definitions by loops, with pictures and without, and published numbers."""

import json
import math
from collections.abc import Sequence
from itertools import product
from statistics import fmean as mean
from statistics import stdev
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from association_files import suite, words
from library import (
    ALL_ALIKE,
    E2_HAS_NO_P,
    UNEQUAL,
    InputError,
    association_tests,
    cell_means,
    expected_d,
    rows_of,
)
from library import associations_p_values as p_values
from real_data import real_data
from recompute import partition_p

Array = npt.NDArray[np.floating[Any]]


def cosine(u: Array, v: Array) -> float:
    dot = sum(float(a) * float(b) for a, b in zip(u, v, strict=True))
    return dot / math.sqrt(sum(float(a) ** 2 for a in u)) / math.sqrt(sum(float(b) ** 2 for b in v))


def size(x: Sequence[float], y: Sequence[float]) -> float:
    return (mean(x) - mean(y)) / stdev([*x, *y])


Counts = Sequence[int]
Row = tuple[str, str, str | None, str | None, str, str | None]
MATH = ["math", "algebra", "geometry", "calculus", "equations", "computation", "numbers", "addition"]
ARTS = ["poetry", "art", "dance", "literature", "novel", "symphony", "drama", "sculpture"]
MALE = ["male", "man", "boy", "brother", "he", "him", "his", "son"]
FEMALE = ["female", "woman", "girl", "sister", "she", "her", "hers", "daughter"]
KEYS = {"X": "targ1", "Y": "targ2", "A": "attr1", "B": "attr2"}


def build_suite(cells: dict[str, Counts], name: str = "test", pictures: bool = False) -> pd.DataFrame:
    """A test with so many texts, or with pictures texts with a picture, of each word of a set or a cell."""
    rows: list[Row] = []
    for cell, counts in cells.items():
        for word, count in ((f"{name}-{cell[0]}{n}", count) for n, count in enumerate(counts)):
            of_cell = cell if pictures and cell not in "XY" else None
            for i in range(count):
                image = f"{cell} {word} {i}" if pictures else None
                rows.append((name, cell[0], of_cell, word, f"{i} {word}", image))
    return suite(*rows)


def of_texts(name: str = "test", **sets: Counts) -> pd.DataFrame:
    return build_suite(sets, name)


def pictured(**cells: Counts) -> pd.DataFrame:
    return build_suite(cells, pictures=True)


STIMULI = {
    "words": of_texts(X=[1] * 3, Y=[1] * 5, A=[1, 1], B=[1] * 3),
    "texts": of_texts(X=[3, 1, 2], Y=[1, 2, 1, 1], A=[2, 1], B=[1, 3]),
    "equal": pictured(X=[1] * 3, Y=[1] * 3, A_X=[2, 2], A_Y=[2, 2], B_X=[2, 2], B_Y=[2, 2]),
    "weighted": pictured(X=[1, 2], Y=[2, 1], A_X=[3, 1], A_Y=[3, 1], B_X=[1, 2, 1], B_Y=[1, 2, 1]),
    "uneven": pictured(X=[2, 1, 3], Y=[1, 4], A_X=[2, 1], A_Y=[1, 1], B_X=[3, 1], B_Y=[1, 2]),
}


def vectors_of(stimuli: pd.DataFrame, seed: int) -> Array:
    return np.random.default_rng(seed).normal(size=(stimuli["stimulus"].max() + 1, 4))


class Literal:
    """The experiments by text or by word, a unit being the vectors of its texts."""

    def __init__(self, stimuli: pd.DataFrame, vectors: Array, by_word: bool) -> None:
        self.stimuli, self.vectors, self.by_word = stimuli, vectors, by_word

    def units(self, where: pd.Series, by_word: bool) -> list[list[Array]]:
        by = "word" if by_word else "stimulus"
        groups = self.stimuli[where].groupby(by, sort=False)
        return [[self.vectors[i] for i in unit["stimulus"]] for _, unit in groups]

    def targets(self, name: str) -> list[list[Array]]:
        return self.units(self.stimuli["set"].eq(name) & self.stimuli["cell"].isna(), self.by_word)

    def cell(self, *cells: str) -> list[list[Array]]:
        return [unit for cell in cells for unit in self.units(self.stimuli["cell"].eq(cell), self.by_word)]

    def s(self, target: list[Array], a: list[list[Array]], b: list[list[Array]]) -> float:
        def near(units: list[list[Array]]) -> float:
            return mean([mean([cosine(w, v) for w in target for v in unit]) for unit in units])

        return near(a) - near(b)

    def arms(self, experiment: str) -> tuple[list[float], list[float]]:
        x, y = self.targets("X"), self.targets("Y")
        of_x, of_y = (self.cell("A_X"), self.cell("B_X")), (self.cell("A_Y"), self.cell("B_Y"))
        both = self.cell("A_X", "A_Y"), self.cell("B_X", "B_Y")
        # attributes count text by text
        texts = tuple(self.units(self.stimuli["set"].eq(name), False) for name in "AB")
        left, right, cells, others = {
            "weat": (x, y, texts, texts),
            "E1": (x, y, both, both),
            "E2": (x, y, of_x, of_y),
            "E3x": (x, x, of_x, of_y),
            "E3y": (y, y, of_x, of_y),
        }[experiment]
        return [self.s(w, *cells) for w in left], [self.s(w, *others) for w in right]

    def differences(self, experiment: str) -> tuple[list[float], list[float]]:
        """What pictures make of each attribute word of A and of B: mean cosine of the targets with it and
        pictures of X, less that with pictures of Y; by how often the word is there, about the mean."""
        targets = self.targets(experiment[-1].upper())
        by_set: dict[str, list[tuple[float, int]]] = {"A": [], "B": []}
        attributes = self.stimuli[self.stimuli["cell"].notna()]
        for (name, _), word in attributes.groupby(["set", "word"]):
            with_x, with_y = (
                [self.vectors[i] for i in word.loc[word["cell"].eq(f"{name}_{owner}"), "stimulus"]]
                for owner in "XY"
            )
            near = [
                mean([mean([cosine(w, v) for w in target for v in vectors]) for target in targets])
                for vectors in (with_x, with_y)
            ]
            by_set[str(name)].append((near[0] - near[1], 1 if self.by_word else len(with_x)))
        every = [*by_set["A"], *by_set["B"]]
        centre = sum(d * n for d, n in every) / sum(n for _, n in every)
        return tuple([(d - centre) * n for d, n in by_set[name]] for name in "AB")  # type: ignore[return-value]


def run(stimuli: pd.DataFrame, vectors: Any, seed: int = 0, confidence: float = 0.95) -> pd.DataFrame:
    """All tests in one pooling, or in those of a mapping."""
    embeddings = vectors if isinstance(vectors, dict) else {"cls": vectors}
    return association_tests(stimuli, embeddings, seed, confidence).astype({"unit": str, "reason": object})


def by_experiment(stimuli: pd.DataFrame, vectors: Array) -> dict[tuple[str, str], Any]:
    """Rows by experiment and unit."""
    return {(str(row.experiment), row.unit): row for row in rows_of(run(stimuli, vectors))}


@pytest.mark.parametrize(
    ("name", "experiment"),
    [
        ("words", "weat"),
        ("texts", "weat"),
        *product(("equal", "weighted", "uneven"), ("E1", "E2", "E3x", "E3y")),
    ],
)
@pytest.mark.parametrize("unit", ["text", "word"])
def test_effects_are_those_of_the_definitions(name: str, experiment: str, unit: str) -> None:
    stimuli = STIMULI[name]
    vectors = vectors_of(stimuli, 1)
    literal = Literal(stimuli, vectors, unit == "word")
    left, right = literal.arms(experiment)
    row = by_experiment(stimuli, vectors)[experiment, unit]
    assert row.mean_difference == pytest.approx(mean(left) - mean(right), rel=1e-9)
    assert row.d == pytest.approx(size(left, right), rel=1e-9)
    assert row.statistic == pytest.approx(sum(left) - sum(right), rel=1e-9)
    assert row.d_low < row.d_high
    if not experiment.startswith("E3"):
        assert (row.x, row.y, row.expected_d) == (len(left), len(right), expected_d(len(left), len(right)))
    if experiment == "E2":
        assert np.isnan([row.p, row.p_two, row.least_p]).all() and row.reason == E2_HAS_NO_P
        return
    if experiment.startswith("E3") and unit == "text" and name == "uneven":
        assert np.isnan(row.p) and row.reason == UNEQUAL
        return
    sides = literal.differences(experiment) if experiment.startswith("E3") else (left, right)
    assert (row.p, row.p_two) == pytest.approx(partition_p(*sides))
    # no sets could have less
    total = math.comb(sum(map(len, sides)), len(sides[0]))
    assert row.least_p == pytest.approx((2 if len(sides[0]) == len(sides[1]) else 1) / total)
    if experiment.startswith("E3"):
        assert (row.a, row.b) == tuple(map(len, sides))


def test_a_shift_of_all_attribute_words_is_no_part_of_p() -> None:
    """Pictures of X that move all attributes alike, and nothing else, change all words alike: p is 1."""
    stimuli = STIMULI["equal"]
    vectors = np.zeros((stimuli["stimulus"].max() + 1, 4))
    for row in rows_of(stimuli):
        vectors[row.stimulus, "XYAB".index(row.set)] = 1
        vectors[row.stimulus, 0] += 0.5 * str(row.cell).endswith("_X")
        if row.set in "XY":
            # targets vary, and none of both sets is nearer to A on average
            vectors[row.stimulus, 2] = 0.3 * (int(row.word[-1]) - 1)
    of_words = by_experiment(stimuli, vectors)["E3x", "word"]
    assert (of_words.p, of_words.p_two) == (1, 1) and of_words.reason == ALL_ALIKE


TARGETS = {"X": [2, 1, 3], "X_A": [1, 2], "X_B": [1, 1, 1], "Y": [1, 4], "Y_A": [2, 1], "Y_B": [1]}
ATTRIBUTES = {"A": [1, 3], "A_X": [2, 1], "A_Y": [1, 1], "B": [2, 1], "B_X": [3, 1], "B_Y": [1, 2]}


@pytest.mark.parametrize("unit", ["text", "word"])
def test_all_twelve_cells_are_as_loops_over_texts_with_pictures(unit: str) -> None:
    stimuli = pictured(**TARGETS, **ATTRIBUTES)
    vectors = {"joint": vectors_of(stimuli, 6), "word": vectors_of(stimuli, 7)}
    records = [record for record in cell_means(stimuli, vectors) if record["unit"] == unit]
    assert len(records) == 2 * 6
    for record in records:
        literal = Literal(stimuli, vectors[record["pooling"]], unit == "word")
        target, beside = record["words"], record["pictured_with"]
        targets = literal.targets(target) if beside == "alone" else literal.cell(f"{target}_{beside}")
        for name, of_a, of_b in (("alone", "A", "B"), ("with_x", "A_X", "B_X"), ("with_y", "A_Y", "B_Y")):
            each = [literal.s(w, literal.cell(of_a), literal.cell(of_b)) for w in targets]
            assert record[name] == pytest.approx(mean(each), rel=1e-9)


def test_d_has_an_expectation_without_bias() -> None:
    drawn = np.random.default_rng(0).normal(size=(20_000, 27))
    d = (drawn[:, :20].mean(axis=1) - drawn[:, 20:].mean(axis=1)) / drawn.std(axis=1, ddof=1)
    assert np.abs(d).mean() == pytest.approx(expected_d(20, 7), rel=0.02)


def test_what_cannot_be_compared() -> None:
    stimuli = of_texts(X=[1] * 3, Y=[1], A=[1, 1], B=[1, 1])
    vectors = vectors_of(stimuli, 0)
    one = run(stimuli, vectors).iloc[0]
    assert np.isnan([one["p"], one["d_low"]]).all()
    assert one["reason"] == "a set of one unit leaves too few partitions for a p"
    # rounding of one vector
    rounded = vectors.copy()
    rounded[:4] = vectors[0] * (1 + 1e-9 * vectors[:4])
    alike = run(stimuli, rounded).iloc[0]
    assert math.isnan(alike["d"]) and alike["reason"] == "s varies by less than 1e-06, which is rounding"
    # neither too small nor too large for squares in single precision
    for scale in (1e-30, 1e30):
        assert run(stimuli, (scale * vectors).astype("f4"))["d"].iloc[0] == pytest.approx(one["d"], rel=1e-5)
    for broken in (0.0, np.nan):
        vectors[1] = broken
        with pytest.raises(InputError, match="the vector of '0 test-X1' is zero or not finite"):
            run(stimuli, vectors)


def test_drawn_p_is_near_that_of_all_partitions_and_never_zero() -> None:
    """12 and 9 are more partitions than are counted."""
    rng = np.random.default_rng(4)
    x, y = rng.normal(0.6, 1, size=12), rng.normal(size=9)
    drawn = p_values(x[None], y[None], 0)
    assert (drawn["p"][0], drawn["p_two"][0]) == pytest.approx(partition_p(x, y), abs=3e-3)
    assert drawn["p"][0] == p_values(x[None], y[None], 0)["p"][0] != p_values(x[None], y[None], 1)["p"][0]
    apart = p_values(x[None] + 100, y[None], 0)
    assert apart["p"][0] == apart["p_two"][0] == apart["least_p"][0] == 1 / 100_000


def test_intervals_are_percentiles_of_resampled_units() -> None:
    stimuli = of_texts(X=[1] * 8, Y=[1] * 6, A=[1, 1], B=[1] * 3)
    vectors, rng = vectors_of(stimuli, 8), np.random.default_rng(5)
    x, y = map(np.array, Literal(stimuli, vectors, False).arms("weat"))
    samples = [size(rng.choice(x, 8).tolist(), rng.choice(y, 6).tolist()) for _ in range(4000)]
    row = run(stimuli, vectors, confidence=0.8).iloc[0]
    assert (row["d_low"], row["d_high"]) == pytest.approx(np.quantile(samples, [0.1, 0.9]), abs=0.08)
    # of E3 both sides have the same targets, here beside nearly the same pictures
    stimuli = pictured(X=[1] * 8, Y=[1], A_X=[1], A_Y=[1], B_X=[1], B_Y=[1])
    vectors = vectors_of(stimuli, 9)
    vectors[[10, 12]] = vectors[[9, 11]] + 0.3 * vectors[[10, 12]]
    x, y = map(np.array, Literal(stimuli, vectors, False).arms("E3x"))
    samples = [size(x[some].tolist(), y[some].tolist()) for some in rng.choice(8, (4000, 8))]
    row = by_experiment(stimuli, vectors)["E3x", "text"]
    assert (row.d_low, row.d_high) == pytest.approx(np.quantile(samples, [0.025, 0.975]), abs=0.08)


def test_holm_is_over_the_tests_of_a_pooling_and_unit() -> None:
    tests = [of_texts(f"t{i}", X=[1] * 4, Y=[1] * 3, A=[1, 1], B=[1, 1]) for i in range(4)]
    stimuli = pd.concat([test.assign(stimulus=test["stimulus"] + 11 * i) for i, test in enumerate(tests)])
    rows = run(stimuli, {pooling: vectors_of(stimuli, seed) for seed, pooling in enumerate(("cls", "mean"))})
    assert len(rows) == 4 * 2 * 2
    for _, family in rows.groupby(["pooling", "unit"], observed=True):
        # the smallest of Holm's is Bonferroni's
        assert family["p_holm"].min() == pytest.approx(min(1, 4 * family["p_two"].min()))


def sets_of(test: str) -> dict[str, list[str]]:
    file = json.loads(real_data("seat", f"{test}.jsonl").read_text(encoding="utf-8"))
    return {name: file[key]["examples"] for name, key in KEYS.items()}


@pytest.mark.parametrize(
    ("vectors", "test", "d", "p"),
    [
        ("glove_math_32", "", 1.0550148, 202 / 12870),
        ("w2v_weat_347", "weat1", 1.539347, 1e-5),
        ("w2v_weat_347", "weat6", 1.889868, 1 / 12870),
    ],
)
def test_published_numbers(vectors: str, test: str, d: float, p: float) -> None:
    lines = real_data("vectors", f"{vectors}.txt").read_text(encoding="utf-8").splitlines()[1:]
    by_word = {word: np.array(row, np.float32) for word, *row in (line.split(" ") for line in lines)}
    sets = sets_of(test) if test else {"X": MATH, "Y": ARTS, "A": MALE, "B": FEMALE}
    stimuli = suite(*words("test", **sets))
    rows = run(stimuli, np.stack([by_word[text] for text in stimuli["text"]]))
    assert rows["d"].to_numpy() == pytest.approx(d, abs=1e-6)
    assert rows["p"].to_numpy() == pytest.approx(p, rel=1e-12)
