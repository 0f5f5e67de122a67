"""The exact answers from left context, against plain enumeration and closed forms."""

import math

import numpy as np
import pytest

from made_worlds import DOSED, NAMED, make_world
from unmask.worlds.grammar import ASSOCIATION, World, frames, modified_words, words_of
from unmask.worlds.left_oracle import LeftOracle

WORLDS = {"plain": make_world(0), "dosed": make_world(**DOSED), "named": make_world(**NAMED)}
every_world = pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)


def mass(world: World, beginning: tuple[str, ...]) -> float:
    """P(a sentence begins with these words), one sentence of the grammar after the other."""
    return sum(p for words, p in world.sentences if words[: len(beginning)] == beginning)


def some_sentences(world: World, count: int = 12) -> list[tuple[str, ...]]:
    every = world.sentences
    return [every[i].words for i in np.linspace(0, len(every) - 1, count).round().astype(int)]


@every_world
def test_each_word_has_its_share_of_the_sentences_that_begin_alike(world: World) -> None:
    oracle = LeftOracle(world)
    for words in some_sentences(world):
        expected = [
            math.log(mass(world, words[: end + 1]) / mass(world, words[:end])) for end in range(len(words))
        ]
        np.testing.assert_allclose(oracle.log_probs(words), expected, atol=1e-6)


@every_world
def test_they_add_up_to_the_probability_of_the_sentence(world: World) -> None:
    oracle = LeftOracle(world)
    for words, probability in world.sentences[::997]:
        assert sum(oracle.log_probs(words)) == pytest.approx(math.log(probability), abs=1e-9)


@every_world
def test_a_beginning_says_all_of_what_follows(world: World) -> None:
    """The probabilities of all words behind a beginning sum to one: a full stop ends each sentence."""
    oracle = LeftOracle(world)
    for words in some_sentences(world, 4):
        for end in (0, 1, len(words) // 2):
            following = {sentence[end] for sentence, _ in world.sentences if sentence[:end] == words[:end]}
            total = sum(math.exp(oracle.log_probs([*words[:end], word])[-1]) for word in following)
            assert total == pytest.approx(1, abs=1e-9)


@every_world
def test_the_margin_of_ll_is_the_planted_log_odds(world: World) -> None:
    """Of sentences that differ in what shows the gender alone one is p / (1 - p) times as likely."""
    oracle, seen = LeftOracle(world), 0
    for contrast in [each for each in world.contrasts if each.factor == ASSOCIATION][::5]:
        for template in contrast.templates:
            frame = frames(template)[0]
            sides = [
                words_of(frame, {**contrast.shared, **side})
                for side in (contrast.stereotype, contrast.antistereotype)
            ]
            margins = oracle.margins(*sides)
            assert margins["LL"] == pytest.approx(math.log(contrast.p / (1 - contrast.p)), abs=1e-9)
            assert margins["LLMean"] == pytest.approx(margins["LL"] / len(sides[0]), abs=1e-9)
            modified = modified_words(*sides)[0]
            if not math.isnan(margins["CCPS"]):
                split = margins["CCPS"] + len(modified) * margins["CSSS"]
                assert split == pytest.approx(margins["LL"], abs=1e-9)
            seen += 1
    assert seen >= 15


def test_what_is_not_of_the_grammar_is_refused() -> None:
    with pytest.raises(ValueError, match="no sentence of the grammar begins with 'colourless green'"):
        LeftOracle(WORLDS["plain"]).log_probs(["colourless", "green"])
