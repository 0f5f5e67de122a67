"""Worlds of a grounded test whose every bias is known: what their words and pictures mean, and the oracle.

The test is of names of men and women with career and family (Ross, Katz & Barbu 2021, sentences of
Grounded-SEAT). A meaning is a vector over AXES. Without bias, names and their pictures tell the gender, and
attributes with theirs tell career from family; what else a World has are its biases.

The oracle knows the gaps of the tests without a model, in double precision. The vector of a text with a
picture is the sentence's meaning, which [CLS] has, and WEIGHT times the mean of all tokens and regions, each
of length one or zero: [CLS], the words, [SEP], which means nothing, and regions. The vector of its word is
the word's meaning, at length one, and the same mean. A gap is a product of means
of such vectors at length one: for E1 (mean of X − mean of Y) · (mean of A − mean of B), and for E2 and E3 the
same with one cell of A and of B, x1 = X · (A_X − B_X) and so on.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unmask.associations.terms import E1, E2, E3X, E3Y, JOINT, UNITS, WORD, A, B, X, Y

Floats = npt.NDArray[np.float64]

AXES = ("sentence", "person", "gender", "scene_gender", "concept", "shared")
"""What all texts say, and all names; gender in texts, and in pictures; career (positive) against family; and
what pictures of persons share."""

CATEGORIES = {X: "Men", Y: "Women", A: "Career", B: "Family"}

WORDS = {
    X: ("John", "Paul", "Mike", "Kevin", "Steve", "Greg", "Jeff", "Bill"),
    Y: ("Amy", "Joan", "Lisa", "Sarah", "Diana", "Kate", "Ann", "Donna"),
    A: (
        "executive",
        "management",
        "professional",
        "corporation",
        "salary",
        "office",
        "business",
        "career",
    ),
    B: ("home", "parents", "children", "family", "cousins", "marriage", "wedding", "relatives"),
}

SENTENCE = ("this", "is")
"""The words before the word that a sentence is there for."""

BEHIND = {A: "now", B: "then"}
"""The words behind it, in worlds whose sentences are biased otherwise than their words."""

MEASURED = (JOINT, WORD)
"""The vectors that are tested: every word is one token, so that its first token is no other vector."""

OFFSETS = (-0.14, -0.1, -0.06, -0.02, 0.02, 0.06, 0.1, 0.14)
"""How far the names of either set lie to career, so that s varies: alike in both sets, and 0 on average."""

SIGNS = {X: 1, Y: -1, A: 1, B: -1}
"""Men against women, and career against family."""

STRENGTH = 0.3
"""Of each bias, beside meanings of size 1: so large that the tests, of 8 names each, find it."""


SHIFT = 3.0
"""How much stronger than a bias is what pictures do to career and family alike, where they do that."""


class World(NamedTuple):
    """How strong each bias is; 0: there is none."""

    # career words lie to men, and family words to women
    language: float = 0.0
    # so do their pictures, whoever is in them
    vision: float = 0.0
    # and their pictures with men; those with women lie the other way
    interaction: float = 0.0
    # pictures of men in careers, and of women in families, lie away from those of names, the others to them
    counter: float = 0.0
    # pictures with men lie to those of names, and those with women away, of careers and families alike
    shift: float = 0.0
    # the same as language of the words alone: what stands behind them takes it from the sentences
    word: float = 0.0
    # the same of the sentences alone: it is in what stands behind the words, which lie away from it
    sentence: float = 0.0


def worlds(strength: float) -> dict[str, World]:
    """The worlds that are measured, each with its biases of one strength."""
    return {
        "none": World(),
        "both": World(language=strength, vision=strength),
        "shifted interaction": World(interaction=strength, shift=SHIFT * strength),
        "word": World(word=strength),
        "sentence": World(sentence=strength),
    }


CELLS = ((X, X), (Y, Y), (A, X), (A, Y), (B, X), (B, Y))
"""The set of the words, and whose pictures they are shown with."""


class PicturedWord(NamedTuple):
    """A word in a test, with one of its pictures."""

    # one of CELLS
    cell: tuple[str, str]
    word: str
    # what the picture is called
    image: str
    # what is in it: regions × axes
    regions: Floats


def tokens_of(world: World, name: str, word: str) -> tuple[str, ...]:
    """The words of the sentence of a word of a set."""
    behind = (BEHIND[name],) if name in BEHIND and (world.word or world.sentence) else ()
    return (*SENTENCE, word, *behind)


def text_of(world: World, name: str, word: str) -> str:
    """The sentence of a word of a set."""
    return " ".join(tokens_of(world, name, word))


def word_of(text: str) -> str:
    """The word that a sentence is there for."""
    return text.split()[len(SENTENCE)]


def vocabulary(world: World) -> dict[str, Floats]:
    """The meaning of each word of the texts: (axes,)."""
    meanings = {word: _meaning(sentence=1) for word in SENTENCE}
    in_word = world.language + world.word - world.sentence
    for name in (X, Y):
        for word, offset in zip(WORDS[name], OFFSETS, strict=True):
            meanings[word] = _meaning(person=1, gender=SIGNS[name], concept=offset)
    for name in (A, B):
        sign = SIGNS[name]
        for word in WORDS[name]:
            meanings[word] = _meaning(concept=sign, gender=sign * in_word)
        behind = sign * _behind(world)
        meanings[BEHIND[name]] = _meaning(sentence=np.sqrt(1 - behind**2), gender=behind)
    return meanings


def _behind(world: World) -> float:
    """The gender of what stands behind career words, at length one.

    Of a word of length one and gender g, and one behind it with h, the word's vector has the gender
    g + WEIGHT (g + h) / TOKENS, and the sentence's WEIGHT (g + h) / TOKENS.
    Raises ValueError where h would have to be above 1.
    """
    of_word, against = (gender / np.hypot(1, gender) for gender in (world.word, world.sentence))
    behind = float(-of_word + against * (1 + TOKENS / WEIGHT))
    if abs(behind) > 1:
        raise ValueError("a bias of sentences alone is at most about 0.5: a word behind has length one")
    return behind


TOKENS = len(SENTENCE) + 5
"""[CLS], the words, one behind, [SEP] and one region, where the sentences alone are biased."""


def pictured_words(world: World) -> Iterator[PicturedWord]:
    """All there are in the test: in each cell a word has one or two pictures, the second of two regions; of
    one where sentences alone are biased, as what takes a bias from words depends on how much is read."""
    for name, owner in CELLS:
        for position, word in enumerate(WORDS[name]):
            for number in range(1 + position % 2):
                if name == owner:
                    region = _person(SIGNS[name], OFFSETS[(3 * position + number) % len(OFFSETS)])
                else:
                    region = _scene(world, SIGNS[name], SIGNS[owner])
                image = f"{word}-{CATEGORIES[owner]}-{number + 1}"
                regions = 1 if world.sentence else 1 + number
                yield PicturedWord((name, owner), word, image, np.tile(region, (regions, 1)))


def _person(gender: float, offset: float) -> Floats:
    """What a region of a name's picture means."""
    return _meaning(shared=1, scene_gender=gender, concept=offset)


def _scene(world: World, concept: float, gender: float) -> Floats:
    """What a region of an attribute's picture means; gender: of the person in it."""
    return _meaning(
        concept=concept,
        scene_gender=concept * (world.vision + world.interaction * gender),
        shared=gender * (world.shift - concept * world.counter),
    )


def _meaning(**parts: float) -> Floats:
    """A meaning from its parts along AXES; of others it has none."""
    meaning = np.zeros(len(AXES))
    for axis, part in parts.items():
        meaning[AXES.index(axis)] = part
    return meaning


WEIGHT = 6.0
"""How much more the mean of all tokens counts than the token itself: the network's value matrix."""


def truths(world: World) -> dict[tuple[str, str, str], float]:
    """Gaps of a world by pooling (joint, word), experiment (E1, E2, E3x, E3y) and unit (text, word)."""
    gaps: dict[tuple[str, str, str], float] = {}
    for unit in UNITS:
        for condition in MEASURED:
            x, y, a_x, a_y, b_x, b_y = _centres(world, condition, unit)
            # cells of an attribute are of one size
            e1 = float((x - y) @ (a_x + a_y - b_x - b_y) / 2)
            gaps[condition, E1, unit] = e1
            gaps[condition, E2, unit] = float(x @ (a_x - b_x) - y @ (a_y - b_y))
            gaps[condition, E3X, unit] = float(x @ (a_x - b_x - a_y + b_y))
            gaps[condition, E3Y, unit] = float(y @ (a_x - b_x - a_y + b_y))
    return gaps


def _centres(world: World, condition: str, unit: str) -> list[Floats]:
    """The mean vector of each of CELLS: of all texts, or of the means of words."""
    words = vocabulary(world)
    vectors: dict[tuple[str, str], dict[str, list[Floats]]] = {cell: defaultdict(list) for cell in CELLS}
    for each in pictured_words(world):
        name = each.word if unit == WORD else ""
        tokens = tokens_of(world, each.cell[0], each.word)
        vectors[each.cell][name].append(_vector(words, tokens, each, condition))
    return [
        np.mean([np.mean(of_unit, axis=0) for of_unit in vectors[cell].values()], axis=0) for cell in CELLS
    ]


def _vector(words: dict[str, Floats], text: Sequence[str], pictured: PicturedWord, condition: str) -> Floats:
    nothing = np.zeros(len(AXES))
    tokens = [words[SENTENCE[0]], *(words[each] for each in text), nothing, *pictured.regions]
    read = words[pictured.word] if condition == WORD else tokens[0]
    return _unit(_unit(read) + WEIGHT * np.mean([_unit(token) for token in tokens], axis=0))


def _unit(vector: Floats) -> Floats:
    length = np.linalg.norm(vector)
    scaled: Floats = vector / length if length else vector
    return scaled
