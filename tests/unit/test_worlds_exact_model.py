"""The exact model against a list of everything that training can do, each with its probability."""

import math
from collections import defaultdict
from itertools import product

import numpy as np
import pytest

from made_worlds import CORRUPTION, cut_world, make_world
from unmask.worlds.exact import ExactModel, ExactTokens
from unmask.worlds.recipe import Corruption

CORRUPTIONS = [
    Corruption(0.6, 0.2, 0.2),
    Corruption(0.9, 0, 0.1),
    Corruption(0.5, 0.5, 0),
    Corruption(1, 0, 0),
]
WORLD = cut_world()
LENGTHS = (2, 3)

Answer = dict[tuple[tuple[int, ...], int], dict[int, float]]
"""For each input and place: the probability of each token that can have stood there."""


def tokens_of(words: tuple[str, ...]) -> list[str]:
    return [piece for word in words for piece in (["Vandor", "##wick"] if word == "Vandorwick" else [word])]


def trusting(corruption: Corruption, length: int) -> Answer:
    """What the sentences with the visible tokens of an input have in a place.

    What is shown in the place itself is judged by what training does to a chosen token.
    """
    vocabulary = ExactTokens(WORLD).content
    mask = len(vocabulary)
    joint: defaultdict[tuple[tuple[int, ...], int], defaultdict[int, float]] = defaultdict(
        lambda: defaultdict(float)
    )
    for shown, place in product(product(range(mask + 1), repeat=length), range(length)):
        for words, probability in WORLD.sentences:
            ids = [vocabulary.index(token) for token in tokens_of(words)]
            if len(ids) != length:
                continue
            if any(y not in (mask, x) for j, (x, y) in enumerate(zip(ids, shown, strict=True)) if j != place):
                continue
            of_random = corruption.random / len(vocabulary)
            if shown[place] == mask:
                chance = corruption.masked
            else:
                chance = of_random + (corruption.kept if shown[place] == ids[place] else 0)
            joint[shown, place][ids[place]] += probability * chance
    return normalised(joint)


def normalised(joint: dict[tuple[tuple[int, ...], int], defaultdict[int, float]]) -> Answer:
    found = {}
    for place, weights in joint.items():
        total = math.fsum(weights.values())
        if total > 0:
            found[place] = {token: weight / total for token, weight in weights.items()}
    return found


def asked(model: ExactModel, shown: tuple[int, ...], place: int) -> np.ndarray:
    ids = np.array([shown])
    answers = model.around(ids)
    if shown[place] != model.tokens.mask:
        visible = np.where(ids == model.tokens.mask, 0, ids)
        answers = model.unmasked(answers, visible)
    found: np.ndarray = answers[0, place]
    return found


def held(model: ExactModel, expected: Answer) -> int:
    """Compare every answer; how many there were."""
    for (shown, place), of_token in expected.items():
        found = asked(model, shown, place)
        wanted = np.zeros(len(model.tokens.content))
        wanted[list(of_token)] = list(of_token.values())
        np.testing.assert_allclose(found, wanted, atol=1e-12)
    return len(expected)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("corruption", CORRUPTIONS, ids=str)
def test_every_answer_is_that_of_the_sentences_that_fit(corruption: Corruption, length: int) -> None:
    model = ExactModel(WORLD, corruption)
    assert held(model, trusting(corruption, length)) >= 5


def test_answers_are_probabilities_and_do_not_depend_on_what_is_asked_with_them() -> None:
    model = ExactModel(make_world(), CORRUPTION)
    of_length = [s.words for s in model.world.sentences if len(model.tokens.numbered(s.words)) == 7]
    ids = np.array([model.tokens.numbered(words) for words in of_length[::20]])
    around = model.around(ids)
    assert around.shape == (*ids.shape, len(model.tokens.content))
    np.testing.assert_allclose(around.sum(axis=-1), 1)
    np.testing.assert_allclose(model.unmasked(around, ids).sum(axis=-1), 1)
    np.testing.assert_array_equal(model.around(ids[::-1])[::-1], around)
    hidden = ids.copy()
    hidden[:, 2] = model.tokens.mask
    np.testing.assert_array_equal(model.around(hidden)[:, 2], around[:, 2])


def test_tokens_are_words_and_pieces_each_once() -> None:
    tokens = ExactTokens(WORLD)
    assert tokens.content == ("##wick", ".", "Vandor", "he", "nurse", "pilot", "she", "tired", "very")
    assert [tokens.names[n] for n in tokens.read("Vandorwick.")] == ["Vandor", "##wick", "."]
    assert tokens.names[tokens.mask] == "[MASK]"
    with pytest.raises(KeyError):
        tokens.read("nurses she.")


def test_what_cannot_be_answered_is_refused() -> None:
    model = ExactModel(WORLD, Corruption(1, 0, 0))
    ids = np.array([model.tokens.read("nurse she.")])
    with pytest.raises(ValueError, match="no unmasked token"):
        model.unmasked(model.around(ids), ids)
    with pytest.raises(ValueError, match="9 tokens"):
        model.around(np.zeros((1, 9), dtype=int))
    around = model.around(np.array([model.tokens.numbered(["very", "he", "."])]))
    assert np.isnan(around).all(axis=-1).tolist() == [[False, False, True]]
