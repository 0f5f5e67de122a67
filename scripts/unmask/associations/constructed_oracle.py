"""What grounded tests find in a constructed world: from what its words and pictures mean, without a model.

The vector of a text with a picture is the sentence's meaning, which [CLS] has, and WEIGHT times the mean of
all tokens and regions, each of length one or zero: [CLS], the words, [SEP], which means nothing, and regions.
A gap is a product of means of such vectors at length one: for E1 (mean of X − mean of Y) · (mean of A − mean
of B), and for E2 and E3 the same with one cell of A and of B, x1 = X · (A_X − B_X) and so on (Ross, Katz &
Barbu 2021). Numbers are in double precision.
"""

from collections import defaultdict

import numpy as np

from unmask.associations.association import Floats
from unmask.associations.constructed_world import (
    AXES,
    CELLS,
    SENTENCE,
    PicturedWord,
    World,
    pictured_words,
    vocabulary,
)
from unmask.associations.terms import (
    BY_WORD,
    E1,
    E2,
    E3X,
    E3Y,
    GROUNDED,
    HIDDEN,
    IMAGE_HIDDEN,
    JOINT,
    LEVELS,
    TEXT_HIDDEN,
)

WEIGHT = 6.0
"""How much more the mean of all tokens counts than the token itself: the network's value matrix."""


def truths(world: World) -> dict[tuple[str, str], float]:
    """Gaps of a world by experiment (E1, E2, E3x, E3y, E4-text, E4-image) and level (item, word)."""
    gaps: dict[tuple[str, str], float] = {}
    for level in LEVELS:
        for condition in GROUNDED:
            x, y, a_x, a_y, b_x, b_y = _centres(world, condition, level)
            # cells of an attribute are of one size
            e1 = float((x - y) @ (a_x + a_y - b_x - b_y) / 2)
            if condition != JOINT:
                gaps[HIDDEN[condition], level] = e1
                continue
            gaps[E1, level] = e1
            gaps[E2, level] = float(x @ (a_x - b_x) - y @ (a_y - b_y))
            gaps[E3X, level] = float(x @ (a_x - b_x - a_y + b_y))
            gaps[E3Y, level] = float(y @ (a_x - b_x - a_y + b_y))
    return gaps


def _centres(world: World, condition: str, level: str) -> list[Floats]:
    """The mean vector of each of CELLS: of all items, or of the means of words."""
    words = vocabulary(world)
    vectors: dict[tuple[str, str], dict[str, list[Floats]]] = {cell: defaultdict(list) for cell in CELLS}
    for each in pictured_words(world):
        unit = each.word if level == BY_WORD else ""
        vectors[each.cell][unit].append(_vector(words, each, condition))
    return [
        np.mean([np.mean(of_unit, axis=0) for of_unit in vectors[cell].values()], axis=0) for cell in CELLS
    ]


def _vector(words: dict[str, Floats], pictured: PicturedWord, condition: str) -> Floats:
    nothing = np.zeros(len(AXES))
    sentence = [words[each] for each in SENTENCE]
    word = nothing if condition == TEXT_HIDDEN else words[pictured.word]
    regions = pictured.regions * (condition != IMAGE_HIDDEN)
    tokens = [sentence[0], *sentence, word, nothing, *regions]
    return _unit(_unit(sentence[0]) + WEIGHT * np.mean([_unit(token) for token in tokens], axis=0))


def _unit(vector: Floats) -> Floats:
    length = np.linalg.norm(vector)
    scaled: Floats = vector / length if length else vector
    return scaled
