"""Grounded tests against definitions by loops over texts with pictures."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from library import ALL_ALIKE, E2_HAS_NO_P, UNEQUAL, association_tests, cell_means
from library import rows_of as tuples_of
from literal_associations import Array, cosine, mean, partition_counts, size, suite

CELLS = ("A_X", "A_Y", "B_X", "B_Y")
Row = tuple[str, str, str | None, str | None, str, str | None]


def rows_of(
    targets: dict[str, Sequence[int]], attributes: dict[str, Sequence[int]], test: str = "made"
) -> list[Row]:
    """A row for each text with a picture: so many of each word of a set, and of each cell."""
    rows: list[Row] = []
    for name, counts in targets.items():
        for word, count in enumerate(counts):
            for i in range(count):
                rows.append((test, name, None, f"{name}{word}", f"this is {name}{word}", f"{name}{word}-{i}"))
    for cell, counts in attributes.items():
        for word, count in enumerate(counts):
            for i in range(count):
                text = f"{cell[0]}{word}"
                rows.append((test, cell[0], cell, text, f"it is {text}", f"{cell}{word}-{i}"))
    return rows


def suite_of(targets: dict[str, Sequence[int]], attributes: dict[str, Sequence[int]]) -> pd.DataFrame:
    return suite(*rows_of(targets, attributes))


EQUAL = suite_of({"X": [1, 1, 1], "Y": [1, 1, 1]}, dict.fromkeys(CELLS, (2, 2)))
WEIGHTED = suite_of(
    {"X": [1, 2], "Y": [2, 1]}, {"A_X": [3, 1], "A_Y": [3, 1], "B_X": [1, 2, 1], "B_Y": [1, 2, 1]}
)
UNEVEN = suite_of({"X": [2, 1, 3], "Y": [1, 4]}, {"A_X": [2, 1], "A_Y": [1, 1], "B_X": [3, 1], "B_Y": [1, 2]})


def vectors_of(stimuli: pd.DataFrame, seed: int) -> Array:
    return np.random.default_rng(seed).normal(size=(stimuli["stimulus"].max() + 1, 4))


class Literal:
    """The four experiments by item or by word."""

    def __init__(self, stimuli: pd.DataFrame, vectors: Array, by_word: bool) -> None:
        self.stimuli, self.vectors, self.by_word = stimuli, vectors, by_word

    def words(self, where: pd.Series) -> list[list[Array]]:
        """Vectors by unit: word or text."""
        rows = self.stimuli[where]
        by = "word" if self.by_word else "stimulus"
        return [[self.vectors[i] for i in unit["stimulus"]] for _, unit in rows.groupby(by, sort=False)]

    def targets(self, name: str) -> list[list[Array]]:
        return self.words(self.stimuli["set"].eq(name))

    def targets_alone(self, name: str) -> list[list[Array]]:
        return self.words(self.stimuli["set"].eq(name) & self.stimuli["cell"].isna())

    def cell(self, *cells: str) -> list[list[Array]]:
        return [unit for cell in cells for unit in self.words(self.stimuli["cell"].eq(cell))]

    def s(self, target: list[Array], a: list[list[Array]], b: list[list[Array]]) -> float:
        def near(units: list[list[Array]]) -> float:
            return mean([mean([cosine(w, v) for w in target for v in unit]) for unit in units])

        return near(a) - near(b)

    def arms(self, experiment: str) -> tuple[list[float], list[float]]:
        x, y = self.targets("X"), self.targets("Y")
        of_x, of_y = (self.cell("A_X"), self.cell("B_X")), (self.cell("A_Y"), self.cell("B_Y"))
        both = self.cell("A_X", "A_Y"), self.cell("B_X", "B_Y")
        left, right, cells, others = {
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


def run_tests(stimuli: pd.DataFrame, vectors: Array) -> dict[tuple[str, str], Any]:
    """Rows by experiment and unit."""
    rows = association_tests(stimuli, {"joint": vectors}, 0, 0.95).astype({"reason": object})
    return {(str(row.experiment), str(row.unit)): row for row in tuples_of(rows)}


@pytest.mark.parametrize("stimuli", [EQUAL, WEIGHTED, UNEVEN], ids=["equal", "weighted", "uneven"])
@pytest.mark.parametrize("experiment", ["E1", "E2", "E3x", "E3y"])
@pytest.mark.parametrize("unit", ["text", "word"])
def test_effects_are_those_of_the_definitions(stimuli: pd.DataFrame, experiment: str, unit: str) -> None:
    vectors = vectors_of(stimuli, 1)
    literal = Literal(stimuli, vectors, unit == "word")
    left, right = literal.arms(experiment)
    row = run_tests(stimuli, vectors)[experiment, unit]
    assert row.mean_difference == pytest.approx(mean(left) - mean(right), rel=1e-9)
    assert row.d == pytest.approx(size(left, right), rel=1e-9)
    assert row.statistic == pytest.approx(sum(left) - sum(right), rel=1e-9)
    if experiment == "E2":
        assert np.isnan([row.p, row.p_two, row.least_p]).all() and row.reason == E2_HAS_NO_P
        return
    if experiment != "E1" and unit == "text" and stimuli is UNEVEN:
        assert np.isnan(row.p) and row.reason == UNEQUAL
        return
    sides = (left, right) if experiment == "E1" else literal.differences(experiment)
    one, two, total = partition_counts(*sides)
    assert (row.p, row.p_two) == (pytest.approx(one / total), pytest.approx(two / total))
    assert row.least_p == pytest.approx((2 if len(sides[0]) == len(sides[1]) else 1) / total)
    if experiment != "E1":
        assert (row.a, row.b) == tuple(map(len, sides))


def test_a_shift_of_all_attribute_words_is_no_part_of_p() -> None:
    """Pictures of X that move all attributes alike, and nothing else, change all words alike: p is 1."""
    vectors = np.zeros((EQUAL["stimulus"].max() + 1, 4))
    for row in EQUAL.pipe(tuples_of):
        vectors[row.stimulus, "XYAB".index(row.set)] = 1
        vectors[row.stimulus, 0] += 0.5 * str(row.cell).endswith("_X")
        if row.set in "XY":
            # targets vary, and none of both sets is nearer to A on average
            vectors[row.stimulus, 2] = 0.3 * (int(row.word[-1]) - 1)
    row = run_tests(EQUAL, vectors)["E3x", "word"]
    assert (row.p, row.p_two) == (1, 1) and row.reason == ALL_ALIKE


TWELVE: dict[str, Sequence[int]] = {
    **{"A_X": [2, 1], "A_Y": [1, 1], "B_X": [3, 1], "B_Y": [1, 2]},
    **{"X_A": [1, 2], "X_B": [1, 1, 1], "Y_A": [2, 1], "Y_B": [1]},
    **{"A": [1, 3], "B": [2, 1]},
}
"""How many texts with a picture each word has in the cells of attributes, and in those that no experiment
takes."""

ALL_CELLS = suite_of({"X": [2, 1, 3], "Y": [1, 4]}, TWELVE)


@pytest.mark.parametrize("unit", ["text", "word"])
def test_all_twelve_cells_are_as_loops_over_texts_with_pictures(unit: str) -> None:
    vectors = {"joint": vectors_of(ALL_CELLS, 6), "word": vectors_of(ALL_CELLS, 7)}
    found = [record for record in cell_means(ALL_CELLS, vectors) if record["unit"] == unit]
    assert len(found) == 2 * 6
    for record in found:
        literal = Literal(ALL_CELLS, vectors[record["pooling"]], unit == "word")
        words, shown = record["words"], record["pictured_with"]
        targets = literal.targets_alone(words) if shown == "alone" else literal.cell(f"{words}_{shown}")
        for name, of_a, of_b in (("alone", "A", "B"), ("with_x", "A_X", "B_X"), ("with_y", "A_Y", "B_Y")):
            each = [literal.s(w, literal.cell(of_a), literal.cell(of_b)) for w in targets]
            assert record[name] == pytest.approx(mean(each), rel=1e-9)
