"""Grounded tests of encoders whose every bias is known, against two oracles and by what was planted."""

import itertools
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from association_files import FACTS
from literal_associations import Array, cosine, mean
from running import run_script
from unmask.associations import constructed_model
from unmask.associations.constructed import constructed_table
from unmask.associations.constructed_model import write_world
from unmask.associations.constructed_world import (
    STRENGTH,
    World,
    pictured_words,
    truths,
    vocabulary,
    worlds,
)
from unmask.associations.joint_embedding import embed_seen, load_seeing, pictures_for
from unmask.associations.readers import spans_of
from unmask.associations.schema import CONSTRUCTED
from unmask.associations.stimuli import read_stimuli
from unmask.associations.terms import (
    E1,
    E2,
    E3X,
    E3Y,
    E4_IMAGE,
    E4_TEXT,
    HIDDEN,
    IMAGE_HIDDEN,
    ITEM,
    JOINT,
    LEVELS,
    TEXT_HIDDEN,
    WORD,
    WORD_FIRST,
)
from unmask.associations.testing import Options, association_tests
from unmask.models.devices import pick_device
from unmask.models.kinds import vision_and_language
from unmask.tables import read_metadata, read_table
from unmask.terms import CORRECTED

QUICK = Options(permutations=1000, bootstrap=0)
WORLDS = worlds(STRENGTH)
Key = tuple[str, str, str, str]
Gaps = dict[Key, dict[Any, Any]]

ALL_BIASES = World(
    language=0.3, vision=-0.2, interaction=0.1, counter=0.4, shift=0.2, word=0.2, sentence=-0.1
)
EXPERIMENTS = (E1, E2, E3X, E3Y, E4_TEXT, E4_IMAGE)
TESTED = [
    *((JOINT, experiment) for experiment in EXPERIMENTS),
    *((WORD, experiment) for experiment in (E1, E2, E3X, E3Y)),
]
"""Of the vector of a word, experiment 4 is not reported."""

PLANTED: dict[str, dict[str, int]] = {
    "none": {},
    "language": {E1: 1, E2: 1, E4_IMAGE: 1},
    "vision": {E1: 1, E2: 1, E4_TEXT: 1},
    "both": {E1: 1, E2: 1, E4_TEXT: 1, E4_IMAGE: 1},
    "interaction": {E3X: 1, E3Y: -1},
    "counter": {E1: 1, E2: -1, E3X: -1, E3Y: -1, E4_IMAGE: 1},
    "shift": {},
    "shifted interaction": {E3X: 1, E3Y: -1},
    "word": {},
    "sentence": {E1: 1, E2: 1, E4_IMAGE: 1},
}
"""The signs of the gaps there are in joint vectors; of all other experiments there is none."""

TURNED = ("both", "interaction", "counter", "word", "sentence")
"""Worlds that are tried with their biases turned, and doubled."""

LARGER = {"sentence": 1.5}
"""Where the double is more than a word behind can take."""

PLANTED_IN_WORDS: dict[str, dict[str, int]] = PLANTED | {
    "word": {E1: 1, E2: 1},
    "sentence": {},
    # a word says more of itself than its sentence does, so that a picture does not turn the gap
    "counter": {E1: 1, E2: 1, E3X: -1, E3Y: -1},
}
"""The same in vectors of words."""

EACH = [
    (world, pooling, experiment, level)
    for world in PLANTED
    for pooling, experiment in TESTED
    for level in LEVELS
]


def sign_of(world: str, pooling: str, experiment: str) -> int:
    """Of the gap that is planted; 0: there is none."""
    return (PLANTED_IN_WORDS if pooling == WORD else PLANTED)[world].get(experiment, 0)


def by_key(rows: pd.DataFrame) -> Gaps:
    """(world, pooling, experiment, level) -> truth, gap, d and p_two."""
    keys = zip(*(rows[key] for key in ("world", "pooling", "experiment", "level")), strict=True)
    return dict(zip(keys, rows[["truth", "gap", "d", "p_two"]].to_dict("records"), strict=True))


def table(named: dict[str, World], batch_tokens: int | None = None) -> Gaps:
    return by_key(constructed_table(named, QUICK, pick_device("cpu", batch_tokens)))


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("constructed")
    path = folder / "constructed.parquet"
    run_script("construct_associations", [], [path], folder / "log", permutations=1000, seed=0)
    return path


@pytest.fixture(scope="module")
def gaps(output: Path) -> Gaps:
    return by_key(read_table(output, CONSTRUCTED))


@pytest.fixture(scope="module")
def others() -> Gaps:
    """Worlds with all biases turned, and doubled."""
    return table(
        {
            f"{which} {name}": World(*(factor * strength for strength in WORLDS[name]))
            for name in TURNED
            for which, factor in (("turned", -1), ("larger", LARGER.get(name, 2)))
        }
    )


class Literal:
    """The tests of a world at one level, by loops over pairs of vectors, as the paper and the weights say."""

    def __init__(self, world: World, condition: str, level: str) -> None:
        words = vocabulary(world)
        self.level = level
        # set and whose pictures -> word with these, and the vector of each of its items
        self.cells: dict[str, list[tuple[str, Array]]] = {}
        for pictured in pictured_words(world):
            name, owner = pictured.cell
            tokens = [words["this"], words["this"], words["is"]]
            tokens += [words[pictured.word] * (condition != TEXT_HIDDEN)]
            if name in "AB" and (world.word or world.sentence):
                tokens += [words["now" if name == "A" else "then"]]
            tokens += [np.zeros(6)]
            tokens += [region * (condition != IMAGE_HIDDEN) for region in pictured.regions]
            lengths_one = [v / max(math.hypot(*v), 1e-9) for v in tokens]
            itself = lengths_one[3 if condition == WORD else 0]
            vector = itself + 6 * sum(lengths_one) / len(lengths_one)
            self.cells.setdefault(name + owner, []).append((pictured.word + owner, vector))

    def average(self, numbers: Sequence[tuple[str, float]]) -> float:
        if self.level == ITEM:
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


@pytest.mark.parametrize("level", LEVELS)
def test_the_oracle_is_as_loops_over_pairs(level: str) -> None:
    expected: dict[tuple[str, str], float] = {}
    for pooling in (JOINT, WORD):
        gaps = Literal(ALL_BIASES, pooling, level).gaps()
        expected |= {(pooling, experiment): gap for experiment, gap in gaps.items()}
    for condition, experiment in HIDDEN.items():
        expected[JOINT, experiment] = Literal(ALL_BIASES, condition, level).gaps()[E1]
    assert sorted(expected) == sorted(TESTED)
    for (pooling, experiment), gap in expected.items():
        assert truths(ALL_BIASES)[pooling, experiment, level] == pytest.approx(gap, abs=1e-12)


def test_there_is_a_row_for_each_world_experiment_and_level(output: Path, gaps: Gaps) -> None:
    assert sorted(gaps) == sorted(EACH)
    assert len(read_table(output, CONSTRUCTED)) == len(EACH)


@pytest.mark.parametrize("key", EACH, ids="-".join)
def test_the_network_is_as_the_oracle_says(gaps: Gaps, key: Key) -> None:
    world, *rest = key
    pooling, experiment, level = rest
    assert gaps[key]["truth"] == truths(WORLDS[world])[pooling, experiment, level]
    assert gaps[key]["gap"] == pytest.approx(gaps[key]["truth"], abs=1e-6)


@pytest.mark.parametrize("key", EACH, ids="-".join)
def test_a_bias_is_found_where_it_was_planted_and_nowhere_else(gaps: Gaps, key: Key) -> None:
    world, pooling, experiment, _ = key
    sign = sign_of(world, pooling, experiment)
    gap, d, p = (gaps[key][name] for name in ("gap", "d", "p_two"))
    if sign:
        assert sign * gap > 0.01 and sign * d > 0.5
    else:
        assert abs(gap) < 1e-6
        assert math.isnan(d) or abs(d) < 1e-4
    if experiment == E2:
        assert math.isnan(p)
    else:
        # names are less alike by their own vectors than by those of their sentences
        most = 0.01 if pooling == JOINT else 0.06
        assert p < most if sign else p > 0.9


@pytest.mark.parametrize("level", LEVELS)
def test_language_and_vision_are_told_apart_by_hiding_the_other(gaps: Gaps, level: str) -> None:
    for experiment, alone in ((E4_TEXT, "vision"), (E4_IMAGE, "language")):
        expected = gaps[alone, JOINT, experiment, level]["gap"]
        assert gaps["both", JOINT, experiment, level]["gap"] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("level", LEVELS)
def test_a_bias_of_words_is_in_their_vectors_alone_and_one_of_sentences_in_theirs(
    gaps: Gaps, level: str
) -> None:
    """Each world is the control of the other: what the one kind of vector has, the other lacks."""
    for biased, other, world in ((WORD, JOINT, "word"), (JOINT, WORD, "sentence")):
        assert gaps[world, biased, E1, level]["gap"] > 0.03
        assert abs(gaps[world, other, E1, level]["gap"]) < 1e-6


@pytest.mark.parametrize("world", TURNED)
def test_a_negative_bias_mirrors_all_gaps_and_a_larger_one_makes_them_larger(
    gaps: Gaps, others: Gaps, world: str
) -> None:
    for (pooling, experiment), level in itertools.product(TESTED, LEVELS):
        turned, larger = (
            others[f"{which} {world}", pooling, experiment, level] for which in ("turned", "larger")
        )
        for other in (turned, larger):
            assert other["gap"] == pytest.approx(other["truth"], abs=1e-6)
        gap = gaps[world, pooling, experiment, level]["gap"]
        assert turned["gap"] == pytest.approx(-gap, abs=1e-6)
        if sign_of(world, pooling, experiment):
            assert larger["gap"] / gap > 1 + 0.5 * (LARGER.get(world, 2) - 1)
        else:
            assert abs(larger["gap"]) < 1e-6


def test_a_bias_that_no_word_behind_can_have_is_refused() -> None:
    with pytest.raises(ValueError, match="a bias of sentences alone is at most"):
        vocabulary(World(sentence=0.6))


def test_results_do_not_depend_on_the_size_of_a_batch(gaps: Gaps) -> None:
    some = {name: WORLDS[name] for name in ("counter", "word")}
    for key, row in table(some, batch_tokens=1).items():
        assert row["gap"] == pytest.approx(gaps[key]["gap"], abs=1e-6)


def test_a_network_with_another_weight_is_not_as_the_oracle_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constructed_model, "WEIGHT", 5.0)
    for row in table({"all": ALL_BIASES}).values():
        assert abs(row["gap"] - row["truth"]) > 1e-5


def test_a_study_that_names_the_files_finds_the_same(tmp_path: Path) -> None:
    """With a second test, in which X and Y are exchanged, and with them whose pictures are whose."""
    files = write_world(tmp_path, ALL_BIASES)
    test = json.loads(files.test.read_text())
    test["targ1"], test["targ2"] = test["targ2"], test["targ1"]
    turned = tmp_path / "turned.jsonl"
    turned.write_text(json.dumps(test))
    vision_and_language.check(files.model, "made")
    assert vision_and_language.describe(files.model)["sees"] == "regions"

    suite = {"tests": [files.test, turned], "facts": [FACTS]}
    stimuli, _ = read_stimuli(suite, {"format": "grounded"}, "mine", "here")
    distinct = stimuli.drop_duplicates("stimulus")
    spans = [
        (text.index(word), text.index(word) + len(word))
        for text, word in zip(distinct["text"], distinct["word"], strict=True)
    ]
    encoder = load_seeing(files.model, pick_device("cpu"))
    pictures = pictures_for(encoder, None, files.features)
    vectors = embed_seen(encoder, distinct["text"].tolist(), spans, distinct["image"].tolist(), pictures)
    rows = association_tests(stimuli, vectors, QUICK).rows
    keys = ["test", "pooling", "experiment", "level"]
    gaps = rows[rows["protocol"].eq(CORRECTED)].set_index(keys)["gap"]
    truth = truths(ALL_BIASES)
    of_turned = {E3X: E3Y, E3Y: E3X}
    for pooling, experiment, level in truth:
        # every word is one token, the first
        for vectors_of in {pooling, WORD_FIRST} if pooling == WORD else {pooling}:
            expected = truth[pooling, experiment, level]
            assert gaps["constructed", vectors_of, experiment, level] == pytest.approx(expected, abs=1e-6)
            expected = -truth[pooling, of_turned.get(experiment, experiment), level]
            assert gaps["turned", vectors_of, experiment, level] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("level", LEVELS)
def test_identical_sides_tie_at_the_word(tmp_path: Path, level: str) -> None:
    """With the names of men, and their pictures, on both sides."""
    files = write_world(tmp_path, World(word=0.3, vision=0.3))
    suite = {"tests": [files.test], "facts": [FACTS]}
    stimuli, _ = read_stimuli(suite, {"format": "grounded"}, "mine", "here")
    distinct = stimuli.drop_duplicates("stimulus")
    encoder = load_seeing(files.model, pick_device("cpu"))
    pictures = pictures_for(encoder, None, files.features)
    vectors = embed_seen(
        encoder, distinct["text"].tolist(), spans_of(distinct, {}), distinct["image"].tolist(), pictures
    )
    others = stimuli[stimuli["set"].eq("X")].assign(set="Y", cell="Y")
    twice = pd.concat([stimuli[stimuli["set"].ne("Y")], others], ignore_index=True)
    rows = association_tests(twice, vectors, QUICK).rows
    of_words = rows[rows["pooling"].isin([WORD, WORD_FIRST]) & rows["level"].eq(level)]
    of_words = of_words[of_words["protocol"].eq(CORRECTED)]
    e1 = of_words[of_words["experiment"].eq(E1)]
    assert len(e1) == 2 and (e1["gap"].abs() < 1e-12).all() and (e1["p_two"] == 1).all()


def test_the_job_says_what_was_planted(output: Path) -> None:
    metadata = read_metadata(output)
    assert metadata["strength"] == STRENGTH
    assert (metadata["permutations"], metadata["seed"], metadata["bootstrap"]) == (1000, 0, 0)
    assert metadata["worlds"]["counter"] == {**World()._asdict(), "language": 0.3, "counter": 0.3}
