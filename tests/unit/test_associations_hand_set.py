"""Grounded tests of encoders whose every bias is known, against two oracles and by what was planted."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from association_files import stimuli as stimuli_of
from hand_set_encoder import write_world
from hand_set_worlds import STRENGTH, World, pictured_words, truths, vocabulary, worlds
from literal_associations import Array, cosine, mean
from unmask.associations import weat
from unmask.associations.grounded_embedding import (
    embed_with_images,
    load_vision_language_encoder,
    open_region_features,
)
from unmask.associations.terms import E1, E2, E3X, E3Y, GROUNDED, JOINT, TEXT, UNITS, WORD
from unmask.associations.weat import association_tests
from unmask.associations.words import spans_of
from unmask.models.devices import pick_device
from unmask.models.kinds import check_model

WORLDS = worlds(STRENGTH)
ALL_BIASES = World(
    language=0.3, vision=-0.2, interaction=0.1, counter=0.4, shift=0.2, word=0.2, sentence=-0.1
)
EXPERIMENTS = (E1, E2, E3X, E3Y)

PLANTED: dict[str, dict[str, dict[str, int]]] = {
    JOINT: {
        "none": {},
        "both": {E1: 1, E2: 1},
        "shifted interaction": {E3X: 1, E3Y: -1},
        "word": {},
        "sentence": {E1: 1, E2: 1},
    },
    WORD: {
        "none": {},
        "both": {E1: 1, E2: 1},
        "shifted interaction": {E3X: 1, E3Y: -1},
        "word": {E1: 1, E2: 1},
        "sentence": {},
    },
}
"""The signs of the gaps that vectors of texts and of words have; of all other experiments there is none."""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weat, "PERMUTATIONS", 999)
    monkeypatch.setattr(weat, "RESAMPLES", 10)


def results_of(folder: Path, world: World, turned: bool = False) -> pd.DataFrame:
    """The rows of a world that is written to files and read again, by pooling, experiment and unit.

    turned: with X and Y exchanged, and with them whose pictures are whose.
    """
    files = write_world(folder, world)
    check_model(files.model, "vision-and-language", "made")
    if turned:
        test = json.loads(files.test.read_text())
        test["targ1"], test["targ2"] = test["targ2"], test["targ1"]
        files.test.write_text(json.dumps(test))
    stimuli = stimuli_of([files.test], format="grounded")[0]
    return rows_of(files.model, files.features, stimuli, stimuli)


def rows_of(model: Path, features: Path, stimuli: pd.DataFrame, tests: pd.DataFrame) -> pd.DataFrame:
    """Of tests that have all or some of the stimuli."""
    distinct = stimuli.drop_duplicates("stimulus")
    texts, images = distinct["text"].tolist(), distinct["image"].tolist()
    encoder = load_vision_language_encoder(model, pick_device("cpu"))
    regions = open_region_features(features, 6)
    vectors = embed_with_images(encoder, texts, spans_of(distinct, {}), images, regions, GROUNDED)
    return association_tests(tests, vectors, 0, 0.95).set_index(["pooling", "experiment", "unit"])


class Literal:
    """The tests of a world at one unit, by loops over pairs of vectors, as the paper and the weights say."""

    def __init__(self, world: World, condition: str, unit: str) -> None:
        words = vocabulary(world)
        self.unit = unit
        # set and whose pictures -> word with these, and the vector of each of its items
        self.cells: dict[str, list[tuple[str, Array]]] = {}
        for pictured in pictured_words(world):
            name, owner = pictured.cell
            tokens = [words["this"], words["this"], words["is"]]
            tokens += [words[pictured.word]]
            if name in "AB" and (world.word or world.sentence):
                tokens += [words["now" if name == "A" else "then"]]
            tokens += [np.zeros(6)]
            tokens += list(pictured.regions)
            lengths_one = [v / max(math.hypot(*v), 1e-9) for v in tokens]
            itself = lengths_one[3 if condition == WORD else 0]
            vector = itself + 6 * sum(lengths_one) / len(lengths_one)
            self.cells.setdefault(name + owner, []).append((pictured.word + owner, vector))

    def average(self, numbers: Sequence[tuple[str, float]]) -> float:
        if self.unit == TEXT:
            return mean([number for _, number in numbers])
        words = dict.fromkeys(word for word, _ in numbers)
        return mean([mean([number for other, number in numbers if other == word]) for word in words])

    def s(self, w: Array, owners: str) -> float:
        """s(w; A, B) with the pictures of the owners."""
        a, b = ([item for owner in owners for item in self.cells[name + owner]] for name in "AB")
        near = [self.average([(word, cosine(w, v)) for word, v in items]) for items in (a, b)]
        return near[0] - near[1]

    def mean_s(self, cell: str, owners: str) -> float:
        return self.average([(word, self.s(w, owners)) for word, w in self.cells[cell]])

    def gaps(self) -> dict[str, float]:
        return {
            E1: self.mean_s("XX", "XY") - self.mean_s("YY", "XY"),
            E2: self.mean_s("XX", "X") - self.mean_s("YY", "Y"),
            E3X: self.mean_s("XX", "X") - self.mean_s("XX", "Y"),
            E3Y: self.mean_s("YY", "X") - self.mean_s("YY", "Y"),
        }


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("pooling", [JOINT, WORD])
def test_the_oracle_is_as_loops_over_pairs(pooling: str, unit: str) -> None:
    for experiment, gap in Literal(ALL_BIASES, pooling, unit).gaps().items():
        assert truths(ALL_BIASES)[pooling, experiment, unit] == pytest.approx(gap, abs=1e-12)


@pytest.mark.parametrize("name", WORLDS)
def test_a_bias_is_found_where_it_was_planted_and_nowhere_else(name: str, tmp_path: Path) -> None:
    rows, truth = results_of(tmp_path, WORLDS[name]), truths(WORLDS[name])
    numbers: dict[Any, Any] = rows[["mean_difference", "d", "p_two"]].astype(float).T.to_dict("list")
    for (pooling, experiment, unit), expected in truth.items():
        gap, d, p = numbers[pooling, experiment, unit]
        assert gap == pytest.approx(expected, abs=1e-6)
        if sign := PLANTED[pooling][name].get(experiment, 0):
            assert sign * gap > 0.01 and sign * d > 0.5
        else:
            assert abs(gap) < 1e-6 and (math.isnan(d) or abs(d) < 1e-4)
        if experiment == E2:
            assert math.isnan(p)
        else:
            # names are less alike by their own vectors than by those of their sentences
            assert p < (0.01 if pooling == JOINT else 0.06) if sign else p > 0.9


def test_exchanged_targets_turn_all_gaps(tmp_path: Path) -> None:
    rows, exchanged = (
        results_of(tmp_path / str(turned), ALL_BIASES, turned)["mean_difference"].astype(float)
        for turned in (False, True)
    )
    for (pooling, experiment, unit), truth in truths(ALL_BIASES).items():
        other = {E3X: E3Y, E3Y: E3X}.get(experiment, experiment)
        # every word is one token, the first
        for vectors in (pooling, "word-first") if pooling == WORD else (pooling,):
            assert rows[vectors, experiment, unit] == pytest.approx(truth, abs=1e-6)
            assert exchanged[vectors, other, unit] == pytest.approx(-truth, abs=1e-6)


def test_a_bias_that_no_word_behind_can_have_is_refused() -> None:
    with pytest.raises(ValueError, match="a bias of sentences alone is at most"):
        vocabulary(World(sentence=0.6))


def test_identical_sides_tie_at_the_word(tmp_path: Path) -> None:
    """With the names of men, and their pictures, on both sides."""
    files = write_world(tmp_path, World(word=0.3, vision=0.3))
    stimuli, _ = stimuli_of([files.test], format="grounded")
    others = stimuli[stimuli["set"].eq("X")].assign(set="Y", cell="Y")
    twice = pd.concat([stimuli[stimuli["set"].ne("Y")], others], ignore_index=True)
    rows = rows_of(files.model, files.features, stimuli, twice)
    e1 = rows.loc[[WORD, "word-first"]].xs(E1, level="experiment")
    assert len(e1) == 4 and (e1["mean_difference"].abs() < 1e-12).all() and (e1["p_two"] == 1).all()
