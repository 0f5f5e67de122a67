"""What a world makes: a corpus, sentences and words to debias models with, and the truth about its pairs."""

import math
import random
from itertools import accumulate, product
from typing import Any

from unmask.worlds.grammar import FEMALE, MALE, NAMES, PRONOUNS, TEMPLATES, World, frames, text_of, words_of
from unmask.worlds.pairs import (
    CROWS_PAIRS,
    DEFAULT_COUNTS,
    STEREOSET,
    Counts,
    crows_pairs,
    stereoset,
)


def draw_corpus(world: World, sentences: int) -> list[str]:
    """Draw sentences, each with its probability, in random order; the world's seed decides which.

    The draw is systematic (equal steps along the cumulative probabilities from one random start), so
    that a sentence comes `sentences` times its probability, give or take one: what is planted is what is
    in the corpus, without the noise of independent draws. Random numbers are Python's Mersenne
    Twister, so that every machine draws the same.
    """
    rng = random.Random(f"corpus {world.seed}")
    start = rng.random()
    reached = list(accumulate(sentence.probability for sentence in world.sentences))
    lines: list[str] = []
    for sentence, cumulative in zip(world.sentences, reached, strict=True):
        # how many of the steps start, start + 1, start + 2 … lie below this share of the corpus
        steps = math.ceil(cumulative / reached[-1] * sentences - start)
        lines += [text_of(sentence.words)] * (steps - len(lines))
    rng.shuffle(lines)
    return lines


def neutral_sentences(world: World) -> list[str]:
    """Sentences of occupations without a gender, which AT debiases with, in a fixed order.

    The corpus has none: wherever it has an occupation, it has a pronoun or a name. All words are the
    corpus's, which a world's tokenizers have.
    """
    return [
        text_of(words_of(frame, {"occupation": word}))
        for template in TEMPLATES["neutral_with_names" if world.names else "neutral"]
        for word, frame in product(stereotyped_words(world), frames(template))
    ]


def stereotyped_words(world: World) -> list[str]:
    """The occupations of a world: words that should tell of no gender."""
    return [occupation.word for occupation in world.occupations]


def gendered_pairs(world: World) -> list[tuple[str, str]]:
    """The feminine and masculine words of a world, in lower case: its pronouns, and its names."""
    names = zip(world.names_of(FEMALE), world.names_of(MALE), strict=True)
    return [
        *((PRONOUNS[FEMALE][case], PRONOUNS[MALE][case]) for case in PRONOUNS[FEMALE]),
        *((feminine.lower(), masculine.lower()) for feminine, masculine in names),
    ]


def truth(world: World, counts: Counts = DEFAULT_COUNTS) -> dict[str, Any]:
    """What is planted, and for every pair of each benchmark (by format) its facts."""
    benchmarks = {CROWS_PAIRS: crows_pairs(world, counts), STEREOSET: stereoset(world, counts)}
    return {
        "world": world.name,
        "seed": world.seed,
        "settings": {key: getattr(world, key) for key in ("associations", "ratios", "lengths", "names")}
        | {"both": {key: world.both[key] for key in ("association", "ratios")}, "pairs": counts._asdict()},
        "occupations": [occupation._asdict() for occupation in world.occupations],
        "names": {gender: list(world.names_of(gender)) for gender in NAMES},
        "group_pairs": [pair._asdict() for pair in world.group_pairs],
        "benchmarks": {
            name: {pair.pair_id: pair.facts() for pair in pairs} for name, pairs in benchmarks.items()
        },
    }
