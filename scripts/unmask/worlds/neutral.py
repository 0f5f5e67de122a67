"""Sentences of a world that speak of occupations without a gender: what AT debiases with.

The corpus has none: wherever it has an occupation, it has a pronoun. They are in the corpus's own words,
which a world's tokenizers have.
"""

from itertools import product

from unmask.worlds.grammar import FEMALE, MALE, PRONOUNS, World, frames, text_of, words_of

TEMPLATES = (
    "The {occupation} {speech} that {person} was {state}",
    "The {occupation} {verb} that {object}",
    "The {occupation} {speech} that {person} {verb} that {object}",
)
"""The grammar's templates of occupations, other words in the pronouns' places."""


def neutral_sentences(world: World) -> list[str]:
    """Every filling of TEMPLATES, in a fixed order; no word of them is gendered, and each has one
    occupation."""
    return [
        text_of(words_of(frame, {"occupation": word}))
        for template in TEMPLATES
        for word, frame in product(stereotyped_words(world), frames(template))
    ]


def stereotyped_words(world: World) -> list[str]:
    """The occupations of a world: words that should tell of no gender."""
    return [occupation.word for occupation in world.occupations]


def gendered_pairs() -> list[tuple[str, str]]:
    """The feminine and masculine words of every world: its pronouns."""
    return [(PRONOUNS[FEMALE][case], PRONOUNS[MALE][case]) for case in PRONOUNS[FEMALE]]
