"""Sentences of a world that speak of occupations without a gender: what AT debiases with.

The corpus has none: wherever it has an occupation, it has a pronoun or a name. They are in the corpus's own
words, which a world's tokenizers have.
"""

from itertools import product

from unmask.worlds.grammar import FEMALE, MALE, PRONOUNS, World, frames, text_of, words_of

TEMPLATES = (
    "The {occupation} {speech} that {person} was {state}",
    "The {occupation} {verb} that {object}",
    "The {occupation} {speech} that {person} {verb} that {object}",
)
"""The grammar's templates of occupations, other words in the pronouns' places."""
TEMPLATES_WITHOUT_NAMES = (
    "The {person} is the {occupation} today",
    "The {occupation} is the {person} today",
    "The {person} was there with the {occupation}",
)
"""In worlds that have names, other words in the places of these."""


def neutral_sentences(world: World) -> list[str]:
    """Every filling of the templates, in a fixed order; no word of them is gendered, and each has one
    occupation."""
    return [
        text_of(words_of(frame, {"occupation": word}))
        for template in (TEMPLATES_WITHOUT_NAMES if world.names else TEMPLATES)
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
