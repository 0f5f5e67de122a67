"""Grounded tests against definitions by loops over texts with pictures."""

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from literal_associations import Array, cosine, holm, mean, partition_counts, s, size, suite
from unmask.associations import grounded
from unmask.associations.association import Effect, effect, responses
from unmask.associations.chance import least_p
from unmask.associations.grounded import Cell
from unmask.associations.permutations import partitions
from unmask.associations.tables import with_effects
from unmask.associations.testing import (
    ALL_ALIKE,
    E2_HAS_NO_PERMUTATION_TEST,
    NO_PUBLISHED_P,
    NO_RESPONSES,
    Options,
    Outcome,
    association_tests,
)

CELLS = ("A_X", "A_Y", "B_X", "B_Y")
TURNED = {"A_X": "A_Y", "A_Y": "A_X", "B_X": "B_Y", "B_Y": "B_X"}
QUICK = Options(bootstrap=0)
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
UNEQUAL = suite_of(
    {"X": [2, 1, 3], "Y": [1, 4]}, {"A_X": [2, 1], "A_Y": [1, 1], "B_X": [3, 1], "B_Y": [1, 2]}
)


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


def run_tests(stimuli: pd.DataFrame, vectors: Array, options: Options = QUICK) -> Outcome:
    return association_tests(stimuli, {"cls": vectors}, options)


def row_of(outcome: Outcome, **equal: str) -> dict[str, Any]:
    rows = outcome.rows
    for key, value in equal.items():
        rows = rows[rows[key].eq(value)]
    assert len(rows) == 1
    return {str(key): value for key, value in rows.iloc[0].items()}


def least(row: dict[str, Any]) -> float:
    return float(least_p(pd.DataFrame([row])).iloc[0])


@pytest.mark.parametrize("stimuli", [EQUAL, WEIGHTED, UNEQUAL], ids=["equal", "weighted", "unequal"])
@pytest.mark.parametrize("experiment", ["E1", "E2", "E3x", "E3y"])
@pytest.mark.parametrize("level", ["item", "word"])
def test_effects_are_those_of_the_definitions(stimuli: pd.DataFrame, experiment: str, level: str) -> None:
    vectors = vectors_of(stimuli, 1)
    literal = Literal(stimuli, vectors, level == "word")
    left, right = literal.arms(experiment)
    outcome = run_tests(stimuli, vectors)
    row = row_of(outcome, experiment=experiment, level=level, protocol="corrected")
    assert row["gap"] == pytest.approx(mean(left) - mean(right), rel=1e-9)
    assert row["d"] == pytest.approx(size(left, right), rel=1e-9)
    assert row["d0"] == pytest.approx(size(left, right, ddof=0), rel=1e-9)
    assert row["statistic"] == pytest.approx(sum(left) - sum(right), rel=1e-9)
    if experiment == "E2":
        assert (
            np.isnan([row["p"], row["p_two"], row["p_high"]]).all()
            and row["reason"] == E2_HAS_NO_PERMUTATION_TEST
        )
    elif experiment == "E1":
        one, two, total = partition_counts(left, right)
        assert (row["p"], row["p_two"]) == (one / total, two / total)
    elif level == "item" and stimuli is UNEQUAL:
        assert np.isnan(row["p"]) and row["reason"] == NO_RESPONSES
    else:
        of_a, of_b = literal.differences(experiment)
        one, two, total = partition_counts(of_a, of_b)
        assert (row["p"], row["p_two"]) == (one / total, two / total)
        # no set of words could have less
        assert least(row) == (2 if len(of_a) == len(of_b) else 1) / total
    if level == "item":
        published = row_of(outcome, experiment=experiment, protocol="published")
        assert published["d"] == row["d"]
        assert np.isnan(published["p"]) and published["reason"] == NO_PUBLISHED_P


def test_two_by_two() -> None:
    vectors = vectors_of(UNEQUAL, 3)
    outcome = run_tests(UNEQUAL, vectors)
    assert [means["level"] for means in outcome.means] == ["item", "word"]
    for means in outcome.means:
        literal = Literal(UNEQUAL, vectors, means["level"] == "word")
        (x1, y2), (_, x2), (y1, _) = (literal.arms(name) for name in ("E2", "E3x", "E3y"))
        for key, values in {"x1": x1, "x2": x2, "y1": y1, "y2": y2}.items():
            assert means[key] == pytest.approx(mean(values), rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_what_is_of_targets_and_what_of_pictures(seed: int) -> None:
    """With equal cells E2 = E1 + (E3x + E3y) / 2; by word cells are equal if they have the same words."""
    for stimuli, level in ((EQUAL, "item"), (EQUAL, "word"), (UNEQUAL, "word")):
        outcome = run_tests(stimuli, vectors_of(stimuli, seed))
        gap = {
            name: row_of(outcome, experiment=name, level=level, protocol="corrected")["gap"]
            for name in ("E1", "E2", "E3x", "E3y")
        }
        assert gap["E2"] == pytest.approx(gap["E1"] + (gap["E3x"] + gap["E3y"]) / 2, rel=1e-9)
        [means] = [m for m in outcome.means if m["level"] == level]
        effects = with_effects(pd.DataFrame([means])).iloc[0]
        assert effects["target_effect"] == pytest.approx(gap["E1"], rel=1e-9)
        assert effects["image_effect"] == pytest.approx((gap["E3x"] + gap["E3y"]) / 2, rel=1e-9)
        assert effects["interaction"] == pytest.approx((gap["E3x"] - gap["E3y"]) / 2, rel=1e-9)


def test_exchanged_owners_turn_e3() -> None:
    vectors = vectors_of(EQUAL, 2)
    turned = EQUAL.assign(cell=EQUAL["cell"].map(TURNED))
    before, after = run_tests(EQUAL, vectors), run_tests(turned, vectors)
    for name, sign in (("E1", 1), ("E3x", -1), ("E3y", -1)):
        one, other = (
            row_of(each, experiment=name, level="word", protocol="corrected") for each in (before, after)
        )
        assert other["d"] == pytest.approx(sign * one["d"], rel=1e-9)
        assert other["p_two"] == one["p_two"]


def test_cells_that_no_experiment_takes_change_nothing() -> None:
    more = rows_of({"X": [1, 1, 1], "Y": [1, 1, 1]}, dict.fromkeys(CELLS, (2, 2)))
    more += [
        ("made", "A", None, "A0", "it is A0", None),
        ("made", "X", "X_A", "X0", "this is X0", "a picture"),
    ]
    more = [(t, s, "X" if s == "X" and c is None else c, w, x, i) for t, s, c, w, x, i in more]
    stimuli = suite(*more)
    vectors = vectors_of(stimuli, 1)
    assert np.array_equal(run_tests(stimuli, vectors).rows["d"], run_tests(EQUAL, vectors).rows["d"])


TWELVE: dict[str, Sequence[int]] = {
    **{"A_X": [2, 1], "A_Y": [1, 1], "B_X": [3, 1], "B_Y": [1, 2]},
    **{"X_A": [1, 2], "X_B": [1, 1, 1], "Y_A": [2, 1], "Y_B": [1]},
    **{"A": [1, 3], "B": [2, 1]},
}
"""How many texts with a picture each word has in the cells of attributes, and in those that no experiment
takes."""

ALL_CELLS = suite_of({"X": [2, 1, 3], "Y": [1, 4]}, TWELVE)


@pytest.mark.parametrize("level", ["item", "word"])
def test_all_twelve_cells_are_as_loops_over_texts_with_pictures(level: str) -> None:
    vectors = {"joint": vectors_of(ALL_CELLS, 6), "word": vectors_of(ALL_CELLS, 7)}
    outcome = association_tests(ALL_CELLS, vectors, QUICK)
    found = [record for record in outcome.cells if record["level"] == level]
    keys = [(record["pooling"], record["words"], record["pictured_with"]) for record in found]
    assert keys == [
        (pooling, words, shown)
        for pooling in ("joint", "word")
        for words in "XY"
        for shown in ("alone", "A", "B")
    ]
    for record in found:
        literal = Literal(ALL_CELLS, vectors[record["pooling"]], level == "word")
        words, shown = record["words"], record["pictured_with"]
        targets = literal.targets_alone(words) if shown == "alone" else literal.cell(f"{words}_{shown}")
        for name, of_a, of_b in (
            ("alone", "A", "B"),
            ("with_x", "A_X", "B_X"),
            ("with_y", "A_Y", "B_Y"),
        ):
            each = [literal.s(w, literal.cell(of_a), literal.cell(of_b)) for w in targets]
            assert record[name] == pytest.approx(mean(each), rel=1e-9)
        # those with own pictures are the 2×2
        [two] = [
            m for m in outcome.means if (m["pooling"], m["level"]) == (record["pooling"], record["level"])
        ]
        if shown == "alone":
            assert record["with_x"] == pytest.approx(two[f"{words.lower()}1"], rel=1e-9)
            assert record["with_y"] == pytest.approx(two[f"{words.lower()}2"], rel=1e-9)


def test_cells_that_are_not_there_have_no_mean() -> None:
    vectors = vectors_of(ALL_CELLS, 6)
    everything = run_tests(ALL_CELLS, vectors).cells
    assert run_tests(UNEQUAL, vectors_of(UNEQUAL, 6)).cells == []
    some = run_tests(ALL_CELLS[~ALL_CELLS["cell"].isin(["X_B", "Y_A", "Y_B", "B"])], vectors).cells
    assert {(record["words"], record["pictured_with"]) for record in some} == {
        ("X", "alone"),
        ("X", "A"),
        ("Y", "alone"),
    }
    # pictures of A alone have none of B beside them
    keys = ("level", "words", "pictured_with")
    whole = {tuple(record[key] for key in keys): record for record in everything}
    assert some == [whole[tuple(record[key] for key in keys)] | {"alone": None} for record in some]


def test_exchanged_sides_mirror_all_cells() -> None:
    """With X and Y exchanged each cell is the other's; with A and B its mean s is negative."""
    vectors = vectors_of(ALL_CELLS, 6)
    before = {(r["level"], r["words"], r["pictured_with"]): r for r in run_tests(ALL_CELLS, vectors).cells}
    for pair, columns in (("XY", {"with_x": "with_y", "with_y": "with_x", "alone": "alone"}), ("AB", {})):
        table = str.maketrans(pair, pair[::-1])
        turned = ALL_CELLS.assign(
            set=ALL_CELLS["set"].str.translate(table),
            cell=ALL_CELLS["cell"].map({cell: cell.translate(table) for cell in TWELVE}),
        )
        after = run_tests(turned, vectors).cells
        assert len(after) == len(before) == 12
        for record in after:
            beside = record["pictured_with"]
            beside = beside if beside == "alone" else beside.translate(table)
            other = before[record["level"], record["words"].translate(table), beside]
            for name in ("alone", "with_x", "with_y"):
                expected = other[columns[name]] if columns else -other[name]
                assert record[name] == pytest.approx(expected, rel=1e-9)


def test_a_cell_without_texts_is_said() -> None:
    outcome = run_tests(EQUAL[~EQUAL["cell"].eq("B_Y")], vectors_of(EQUAL, 0))
    assert outcome.rows.empty
    assert outcome.remarks == ["made (cls): no text of B_Y: not tested"]


def test_many_attribute_words_are_drawn() -> None:
    stimuli = suite_of({"X": [1, 1, 1], "Y": [1, 1, 1]}, dict.fromkeys(CELLS, (1,) * 6))
    vectors = vectors_of(stimuli, 1)
    exact = row_of(run_tests(stimuli, vectors), experiment="E3x", level="word")
    assert exact["exact"] and exact["partitions"] == 924 and least(exact) == 2 / 924
    sampled = row_of(run_tests(stimuli, vectors, QUICK._replace(exact=6)), experiment="E3x", level="word")
    assert not sampled["exact"] and sampled["partitions"] == 100_000 and least(sampled) == 1 / 100_001
    assert sampled["p_two"] == pytest.approx(exact["p_two"], abs=0.01)


@pytest.mark.filterwarnings("error")
def test_resamples_without_a_word_that_an_arm_has() -> None:
    """Of attribute words that have pictures of X alone, A_Y has none in some resamples: these have no d."""
    sizes: dict[str, Sequence[int]] = {cell: (1, 0) if cell == "A_Y" else (1, 1) for cell in CELLS}
    stimuli = suite_of({"X": [1, 1, 1], "Y": [1, 1, 1]}, sizes)
    outcome = run_tests(stimuli, vectors_of(stimuli, 1), QUICK._replace(bootstrap=100))
    row = row_of(outcome, experiment="E3x", level="word")
    assert row["reason"] == NO_RESPONSES and np.isfinite([row["d_low_all"], row["d_high_all"]]).all()


def permuted(a: dict[str, Cell], b: dict[str, Cell]) -> list[Effect]:
    """E3x with the differences that pictures make dealt out to all attribute words in every way; what a word
    has in the middle of both stays its own."""
    middle = [(cells["X"].x + cells["Y"].x) / 2 for cells in (a, b)]
    differences = np.concatenate([cells["X"].x - cells["Y"].x for cells in (a, b)], axis=2)
    effects = []
    for chosen in itertools.combinations(range(6), 3):
        rest = [position for position in range(6) if position not in chosen]
        permuted_cells = []
        for common, positions in zip(middle, (list(chosen), rest), strict=True):
            halves = differences[:, :, positions] / 2
            cells = {
                owner: Cell(common + sign * halves, common + sign * halves, np.ones(3))
                for owner, sign in (("X", 1), ("Y", -1))
            }
            permuted_cells.append(cells)
        effects.append(effect(grounded.experiments(*permuted_cells)[2]))
    return effects


def test_expected_d_is_of_all_partitions_alike() -> None:
    """Partitions change how s varies too, so the expectation does not depend on which one was observed."""
    generator = np.random.default_rng(2)
    sizes, expectations = [], []
    for _ in range(60):
        cosines = generator.normal(size=(4, 1, 3, 3)) + 2 * generator.normal(size=(4, 1, 1, 3))
        x_a, y_a, x_b, y_b = (Cell(each, each, np.ones(3)) for each in cosines)
        a, b = {"X": x_a, "Y": y_a}, {"X": x_b, "Y": y_b}
        expected = effect(grounded.experiments(a, b)[2]).expected_d[0]
        all_ = permuted(a, b)
        sizes.append(mean([abs(each.d[0]) for each in all_]))
        expectations.append(expected)
        assert [each.expected_d[0] for each in all_] == pytest.approx([expected] * 20)
    assert sizes == pytest.approx(expectations, abs=0.25)
    assert np.mean(sizes) == pytest.approx(np.mean(expectations), rel=0.05)


def test_captions_that_a_picture_has_twice_count_twice() -> None:
    once = UNEQUAL.assign(cell=UNEQUAL["cell"].where(UNEQUAL["cell"].notna(), UNEQUAL["set"]))
    vectors = vectors_of(once, 4)
    again = once[once["cell"].isin(["X", "B_Y"])].groupby("cell").head(1)
    twice = pd.concat([once, again], ignore_index=True)
    where = {"experiment": "E1", "level": "item", "protocol": "corrected"}
    one, two = (row_of(run_tests(each, vectors), **where) for each in (once, twice))
    assert (two["x"], two["b"]) == (one["x"] + 1, one["b"] + 1)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    x, y, a, b = (units[twice.loc[twice["set"].eq(name), "stimulus"]].mean(axis=0) for name in "XYAB")
    assert two["gap"] == pytest.approx((x - y) @ (a - b))


@functools.cache
def all_signs(n: int) -> Array:
    return np.array(list(itertools.product((1.0, -1.0), repeat=n)))


def p_of_signs(parts: Array) -> float:
    """Two-sided p over all choices of signs."""
    return float(np.mean(np.abs(all_signs(len(parts)) @ parts) >= abs(parts.sum()) - 1e-12))


def test_p_of_pictures_is_uniform_where_they_say_nothing() -> None:
    """What targets share varies from picture to picture: signs of targets would reject nearly always."""
    generator = np.random.default_rng(1)
    pictures, targets = [], []
    for _ in range(800):
        # an attribute word is as near to all targets, as its picture happens to be
        near = generator.normal(size=(4, 1, 8)) + 0.1 * generator.normal(size=(4, 8, 8))
        a, b = (
            {o: Cell(near[i + k][None], near[i + k][None], np.ones(8)) for i, o in enumerate("XY")}
            for k in (0, 2)
        )
        e3 = grounded.experiments(a, b)[2]
        of_units = responses(e3)
        assert of_units is not None
        pictures.append(partitions(of_units.mean(axis=1), 8).p_two[0])
        targets.append(p_of_signs((e3.x.s - e3.y.s)[0]))
    assert scipy.stats.kstest(pictures, "uniform").pvalue > 0.01
    assert np.mean(np.array(targets) <= 0.05) > 0.5


PICTURED = suite_of({"X": [1] * 4, "Y": [1] * 4}, dict.fromkeys(CELLS, (1,) * 8))


def pictured(seed: int, main: float, interaction: float, noise: float = 1.0) -> Array:
    """Vectors of PICTURED: pictures of X move attribute words to what all targets share, those of Y away from
    it, by main for A and B alike, and by interaction for A more than for B."""
    generator = np.random.default_rng(seed)
    vectors = generator.normal(size=(PICTURED["stimulus"].max() + 1, 30)) * noise
    vectors[:, 0] = 20
    for number, cell in zip(PICTURED["stimulus"], PICTURED["cell"], strict=True):
        if isinstance(cell, str):
            vectors[number, 1] += (main + interaction * (1 if cell[0] == "A" else -1)) * (
                1 if cell[2] == "X" else -1
            )
        else:
            vectors[number, 1] += 5
    return vectors


def e3_of(seed: int, main: float, interaction: float, noise: float = 1.0) -> tuple[dict[str, Any], float]:
    """E3x of such vectors, and its p were the pictures of each attribute word exchanged by itself."""
    vectors = pictured(seed, main, interaction, noise)
    row = row_of(run_tests(PICTURED, vectors), experiment="E3x", level="word")
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    targets = units[PICTURED.loc[PICTURED["set"].eq("X"), "stimulus"]]
    cells = {cell: units[PICTURED.loc[PICTURED["cell"].eq(cell), "stimulus"]] for cell in CELLS}
    of_a, of_b = (((cells[f"{name}_X"] - cells[f"{name}_Y"]) @ targets.T).mean(axis=1) for name in "AB")
    assert row["gap"] == pytest.approx(of_a.mean() - of_b.mean(), rel=1e-9)
    return row, p_of_signs(np.concatenate([of_a, -of_b]) / 8)


def test_a_shift_of_all_pictures_takes_no_power() -> None:
    row, of_signs = e3_of(0, main=8, interaction=2.5, noise=0.3)
    assert abs(row["d"]) > 1.5
    # as far apart as 8 and 8 words can be, which exchanges of each word's pictures do not see
    assert row["p_two"] == least(row) == pytest.approx(2 / 12870)
    assert of_signs > 0.2


@pytest.mark.long
def test_power_and_false_alarms_where_pictures_shift_all_words() -> None:
    false, detected, by_signs = [], [], []
    for seed in range(150):
        false.append(e3_of(seed, main=8, interaction=0)[0]["p_two"])
        row, of_signs = e3_of(seed, main=8, interaction=2)
        detected.append(row["p_two"])
        by_signs.append(of_signs)
    # a standard error of the first is .018
    assert np.mean(np.array(false) <= 0.05) == pytest.approx(0.05, abs=0.05)
    assert scipy.stats.kstest(false, "uniform").pvalue > 0.01
    assert np.mean(np.array(detected) <= 0.05) > 0.9
    assert np.mean(np.array(by_signs) <= 0.05) < 0.3


def test_differences_that_are_all_alike_are_not_tested() -> None:
    """What rounding leaves of them is no finding."""
    stimuli = suite_of({"X": [1, 1, 1], "Y": [1, 1, 1]}, dict.fromkeys(CELLS, (1,) * 6))
    vectors = vectors_of(stimuli, 3)
    for name, axis in (("A", [1.0, 0.0]), ("B", [0.0, 1.0])):
        for owner, moved in (("X", 1.0), ("Y", -1.0)):
            of_cell = stimuli.loc[stimuli["cell"].eq(f"{name}_{owner}"), "stimulus"]
            vectors[of_cell] = [*axis, moved, 0.0]
    vectors += 1e-8 * vectors_of(stimuli, 4)
    row = row_of(run_tests(stimuli, vectors), experiment="E3x", level="word")
    assert np.isfinite(row["d"]) and abs(row["gap"]) < 1e-7
    assert (row["p"], row["p_two"], least(row)) == (1, 1, 1) and row["reason"] == ALL_ALIKE


def test_holm_is_over_the_experiments_of_a_level() -> None:
    rows = run_tests(UNEQUAL, vectors_of(UNEQUAL, 1)).rows
    by_word = rows[rows["level"].eq("word")]
    with_p = by_word[by_word["experiment"].ne("E2")]
    assert with_p["p_holm"].tolist() == pytest.approx(holm(with_p["p_two"].tolist()))
    assert len(by_word) == 4
    items = rows[rows["level"].eq("item") & rows["protocol"].eq("corrected")]
    assert items["p_holm"].notna().tolist() == [True, False, False, False]


def test_pictures_beside_words_without_pictures_are_a_plain_test() -> None:
    plain = EQUAL.assign(cell=None)
    vectors = vectors_of(EQUAL, 5)
    outcome = run_tests(plain, vectors)
    vectors_of_set = {
        name: [vectors[i] for i in plain.loc[plain["set"].eq(name), "stimulus"]] for name in "XYAB"
    }
    left, right = (
        [s(w, vectors_of_set["A"], vectors_of_set["B"]) for w in vectors_of_set[name]] for name in "XY"
    )
    assert set(outcome.rows["experiment"]) == {"weat"}
    assert outcome.rows["d"].to_numpy() == pytest.approx(size(left, right), rel=1e-9)


def test_e2_rests_on_the_pictures_at_hand() -> None:
    """Its p takes them as given, as any test takes its attributes; of all pictures it rejects too often."""
    generator = np.random.default_rng(3)
    p = []
    for _ in range(300):
        near = generator.normal(size=(2, 1, 8)) + 0.1 * generator.normal(size=(2, 16, 8))
        a = {o: Cell(near[i][None, :8], near[i][None, 8:], np.ones(8)) for i, o in enumerate("XY")}
        none = {o: Cell(np.zeros((1, 8, 1)), np.zeros((1, 8, 1)), np.ones(1)) for o in "XY"}
        e1, e2 = grounded.experiments(a, none)[:2]
        p.append([partitions(np.concatenate([e.x.s, e.y.s], axis=1), 8).p_two[0] <= 0.05 for e in (e1, e2)])
    of_e1, of_e2 = np.mean(p, axis=0)
    assert of_e1 == pytest.approx(0.05, abs=0.03)
    assert of_e2 > 0.5
