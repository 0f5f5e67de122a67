"""The settings of worlds, refused in one line that names the key, and the recipe of training."""

import subprocess
import sys
from typing import Any

import pytest

from made_worlds import DOSED, NAMED, OTHERS, make_world, settings
from unmask.errors import InputError
from unmask.worlds.corpus import ENOUGH, check_enough
from unmask.worlds.grammar import Both, World
from unmask.worlds.pairs import Counts
from unmask.worlds.recipe import Corruption, Recipe


def test_a_world_is_made_of_its_settings() -> None:
    assert make_world(**OTHERS["uneven"]) == World("w", 2, (0.3, 0.95), (1.5, 12), Both(0.65, (2.5,)))
    dosed = make_world(**DOSED)
    assert (dosed.associations, dosed.lengths) == (tuple(DOSED["associations"]), 5)
    assert Counts.from_config("w", settings(**DOSED)) == Counts(per_occupation=9, per_trait=3)
    shares = {"masked": 0.7, "kept": 0.1, "random": 0.2}
    # which is not 1 to the last digit of their sum
    assert Corruption.from_config("w", {"corruption": shares}) == Corruption(0.7, 0.1, 0.2)


def test_a_part_of_both_may_be_given() -> None:
    assert settings(both={"association": 0.7})["both"] == {**settings()["both"], "association": 0.7}


def test_a_corpus_to_train_on_has_enough_sentences() -> None:
    check_enough("w", ENOUGH)
    with pytest.raises(
        InputError, match=r"^worlds\.w\.sentences: 1999 are too few to train models on: .* give 2000"
    ):
        check_enough("w", ENOUGH - 1)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"associations": []}, "worlds.w.associations: the number of levels must divide 12, "),
        ({"associations": [0.5] * 5}, "worlds.w.associations: the number of levels must divide 12, "),
        ({"associations": [0.5] * 24}, "worlds.w.associations: the number of levels must divide 12, "),
        ({"associations": [0.5, 1]}, "worlds.w.associations: a probability strictly between 0 and 1 is"),
        ({"associations": [0.0, 0.5]}, "worlds.w.associations: a probability strictly between 0 and 1 is"),
        ({"associations": [float("nan")]}, "config key worlds.w.associations.0: nan is not a finite number"),
        ({"associations": 0.5}, "config key worlds.w.associations: 0.5 is not of type 'array'"),
        ({"associations": ["half"]}, "config key worlds.w.associations.0: 'half' is not of type 'number'"),
        ({"ratios": []}, "worlds.w.ratios: from 1 to 12 ratios, not 0"),
        ({"ratios": [1] * 13}, "worlds.w.ratios: from 1 to 12 ratios, not 13"),
        ({"ratios": [2, 0.5]}, "worlds.w.ratios: a ratio is a number of 1 or more, not 0.5"),
        ({"ratios": [float("inf")]}, "config key worlds.w.ratios.0: inf is not a finite number"),
        ({"both": {"association": 1}}, "worlds.w.both.association: a probability strictly between 0 and 1"),
        ({"both": {"ratios": [4] * 11}}, "worlds.w.both.ratios: from 1 to 10 ratios, not 11"),
        ({"both": {"ratios": [0]}}, "worlds.w.both.ratios: a ratio is a number of 1 or more, not 0"),
        ({"lengths": 11}, "worlds.w.lengths: from 0 to 10 pairs of groups, not 11"),
        ({"lengths": 1.5}, "config key worlds.w.lengths: 1.5 is not of type 'integer'"),
        ({"names": 21}, "worlds.w.names: from 0 to 20 names a gender, not 21"),
        ({"names": -1}, "worlds.w.names: from 0 to 20 names a gender, not -1"),
        (
            {"names": 7, "pairs": {"per_occupation": 22}},
            "worlds.w.pairs.per_occupation: from 1 to 21 pairs, not 22",
        ),
        (
            {"pairs": {"stereo_share": 0.4}},
            "worlds.w.pairs.stereo_share: a share from one half to 1 is needed",
        ),
        (
            {"pairs": {"stereo_share": 1.1}},
            "worlds.w.pairs.stereo_share: a share from one half to 1 is needed",
        ),
        ({"pairs": {"per_occupation": 39}}, "worlds.w.pairs.per_occupation: from 1 to 38 pairs, not 39"),
        ({"pairs": {"per_trait": 27}}, "worlds.w.pairs.per_trait: from 1 to 26 pairs, not 27"),
        ({"pairs": {"per_trait": 0}}, "worlds.w.pairs.per_trait: from 1 to 26 pairs, not 0"),
        (
            {"corruption": {"masked": 0.8, "kept": 0.1, "random": 0.2}},
            "worlds.w.corruption: masked, kept and random are shares that sum to 1, not 0.8 + 0.1 + 0.2",
        ),
        (
            {"corruption": {"masked": 1.2, "kept": -0.2, "random": 0}},
            "worlds.w.corruption: masked, kept and random are shares that sum to 1, not 1.2 + -0.2 + 0",
        ),
        (
            {"corruption": {"masked": 0, "kept": 0.5, "random": 0.5}},
            "worlds.w.corruption.masked: 0 leaves nothing from which to learn what a mask is",
        ),
        (
            {"corruption": {"masked": 1.0}},
            "config key worlds.w.corruption: 'kept' is a required property",
        ),
        ({"sentences": 10}, "config key worlds.w.sentences: 10 is less than the minimum"),
        ({"sead": 1}, "config key worlds.w: unknown key sead (did you mean seed? known: seed, "),
    ],
)
def test_what_does_not_fit_is_one_line(changes: dict[str, Any], line: str) -> None:
    with pytest.raises(InputError) as caught:
        completed = settings(**changes)
        World.from_config("w", completed)
        Corruption.from_config("w", completed)
        Counts.from_config("w", completed)
    assert str(caught.value).startswith(line)
    assert "\n" not in str(caught.value)


def test_every_word_has_the_rate_of_what_it_stands_for() -> None:
    world = make_world(0)
    rates = Recipe(factor_rate=0.3, free_rate=0.2, template_rate=0.1).rates(world)
    assert set(rates) == set(world.words)
    for word in ("nurse", "guard", "he", "her", "Belvan", "Lorist", "Selmic", "Vandorwick", "rude", "polite"):
        assert rates[word] == 0.3
    for word in ("tired", "garden", "forgot", "knew", "visitor", "often"):
        assert rates[word] == 0.2
    for word in ("The", "that", "was", "people", "We", "seemed", "."):
        assert rates[word] == 0.1


def test_words_of_a_world_with_names_are_asked_for_more_often() -> None:
    rates = Recipe(factor_rate=0.3, factor_rate_with_names=0.4).rates(make_world(**NAMED))
    assert {rates[word] for word in ("Emma", "David", "she", "his", "nurse", "rude")} == {0.4}
    assert rates["tired"] < 0.3


def test_the_recipe_does_without_torch() -> None:
    code = "import sys, unmask.worlds.recipe; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
