"""Tests of a study's own world, whose associations are known: what is planted is what they should find.

X and Y are occupations that are stereotyped for men and for women, in sentences of the world's grammar whose
pronoun is masked ("The nurse finished [MASK] report."); A and B are the pronouns, as words. There is a test
for each strength, P(stereotyped gender | occupation): the gap should be 0 where it is one half, grow with it
above, and be negative below. Where there are several, there is one of all occupations too, since a test of
few words cannot have a small p.

In worlds that have names, these take the place of pronouns. The name of a sentence is masked ("[MASK] is the
nurse today."), and A and B are the names of men and of women. Names are not X and Y: a test would permute
them and take the few occupations of one strength as they are, and have a small p of either sign.

The tests of faiths are alike. X is the rarer and Y the more frequent one of each pair, in sentences whose
trait is masked; A are negative and B positive traits. Nations have the same test, and no trait is associated
with them, whatever their frequency. Peoples have no test: they are too few.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from unmask.associations.association_test import AssociationTest, Item, check_sets
from unmask.associations.terms import MASK, SETS, A, B, X, Y
from unmask.errors import InputError
from unmask.strict_parsing import parse_json
from unmask.user_files import read_text
from unmask.worlds.grammar import (
    BOTH,
    FEMALE,
    FREE_SLOTS,
    FREQUENCY,
    GENDER_TEMPLATES,
    GROUP_TEMPLATES,
    MALE,
    NAME_TEMPLATES,
    NEGATIVE_TRAITS,
    POSITIVE_TRAITS,
    PRONOUNS,
    GroupPair,
    Occupation,
    slots,
    text_of,
    words_of,
)

OCCUPATIONS, FAITHS, NATIONS = "occupations", "faiths", "nations"
"""Names of tests; that of the occupations of one strength has it behind (`occupations-0.9`)."""

ONE_PRONOUN = tuple(
    template for template in GENDER_TEMPLATES if not {"subject", "possessive"}.issubset(slots(template))
)
"""The templates in which one mask hides all that tells of gender but the occupation."""

Sets = Mapping[str, Sequence[str]]
"""Set -> its words."""


def read_world(path: Path) -> list[AssociationTest]:
    """The tests of a world, of its truth.json, each with the words of its items and its truth.

    `truth` has the strength: P(stereotyped gender | occupation), P(own kind of trait | group), of all words
    their mean. Raises InputError naming the file where it is no truth of a world.
    """
    where = str(path)
    try:
        value = parse_json(read_text(path))
        occupations = [Occupation(**each) for each in value["occupations"]]
        names = {gender: [str(name) for name in value["names"][gender]] for gender in (MALE, FEMALE)}
        pairs = [GroupPair(**each) for each in value["group_pairs"]]
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"{where}: this is no truth of a world: {error}") from None
    return [*_of_occupations(where, occupations, names), *_of_groups(where, pairs)]


def _of_occupations(
    where: str, occupations: Sequence[Occupation], names: Mapping[str, Sequence[str]]
) -> Iterable[AssociationTest]:
    strengths = sorted({occupation.p for occupation in occupations})

    def of_strength(name: str, of_strengths: Sequence[float]) -> AssociationTest:
        chosen = [occupation for occupation in occupations if occupation.p in of_strengths]
        by_gender = {
            gender: [occupation.word for occupation in chosen if occupation.gender == gender]
            for gender in (MALE, FEMALE)
        }
        make = _in_names if any(names.values()) else _in_pronouns
        categories, words, texts = make(by_gender, names)
        return _test(where, name, categories, words, texts, fmean(occupation.p for occupation in chosen))

    for p in strengths:
        yield of_strength(f"{OCCUPATIONS}-{p!r}", [p])
    if len(strengths) > 1:
        yield of_strength(OCCUPATIONS, strengths)


def _in_pronouns(
    occupations: Mapping[str, Sequence[str]], names: Mapping[str, Sequence[str]]
) -> tuple[Mapping[str, str], Sets, Mapping[str, Sequence[str]]]:
    """Categories, words and texts of a test: occupations in sentences, and pronouns."""
    categories = {X: "men's occupations", Y: "women's occupations", A: "male pronouns", B: "female pronouns"}
    masked = {case: MASK for pronouns in PRONOUNS.values() for case in pronouns}
    words = {
        X: occupations[MALE],
        Y: occupations[FEMALE],
        A: list(PRONOUNS[MALE].values()),
        B: list(PRONOUNS[FEMALE].values()),
    }
    texts = {
        word: [text_of(words_of(frame, {"occupation": word, **masked})) for frame in _frames(ONE_PRONOUN)]
        for word in (*words[X], *words[Y])
    }
    return categories, words, texts


def _in_names(
    occupations: Mapping[str, Sequence[str]], names: Mapping[str, Sequence[str]]
) -> tuple[Mapping[str, str], Sets, Mapping[str, Sequence[str]]]:
    """The same with names in place of pronouns."""
    categories = {X: "men's occupations", Y: "women's occupations", A: "men's names", B: "women's names"}
    words = {X: occupations[MALE], Y: occupations[FEMALE], A: names[MALE], B: names[FEMALE]}
    texts = {
        word: [text_of(words_of(frame, {"occupation": word, "name": MASK})) for frame in NAME_TEMPLATES]
        for word in (*words[X], *words[Y])
    }
    return categories, words, texts


def _of_groups(where: str, pairs: Sequence[GroupPair]) -> Iterable[AssociationTest]:
    frames = _frames(GROUP_TEMPLATES)
    for name, factor in ((FAITHS, BOTH), (NATIONS, FREQUENCY)):
        of_factor = [pair for pair in pairs if pair.factor == factor]
        words = {
            X: [pair.disadvantaged for pair in of_factor],
            Y: [pair.advantaged for pair in of_factor],
            A: NEGATIVE_TRAITS,
            B: POSITIVE_TRAITS,
        }
        texts = {
            word: [text_of(words_of(frame, {"group": word, "trait": MASK})) for frame in frames]
            for word in (*words[X], *words[Y])
        }
        categories = {X: f"rarer {name}", Y: f"frequent {name}", A: "negative traits", B: "positive traits"}
        yield _test(where, name, categories, words, texts, fmean(pair.p for pair in of_factor))


def _frames(templates: Iterable[str]) -> list[str]:
    """Each template with its free slots filled so often that each of their words is there, and no oftener.

    All fillings would say the same at a higher price.
    """
    frames = []
    for template in templates:
        opened = {name: f"{{{name}}}" for name in slots(template)}
        free = {name: FREE_SLOTS[name] for name in opened if name in FREE_SLOTS}
        for turn in range(max(map(len, free.values()), default=1)):
            fillers = {name: words[turn % len(words)] for name, words in free.items()}
            frames.append(template.format(**opened | fillers))
    return frames


def _test(
    where: str,
    name: str,
    categories: Mapping[str, str],
    words: Sets,
    texts: Mapping[str, Sequence[str]],
    strength: float,
) -> AssociationTest:
    """The test of these words, each in its texts, or as it is."""
    worded = [
        (Item(set_, text), word) for set_ in SETS for word in words[set_] for text in texts.get(word, [word])
    ]
    items = tuple(item for item, _ in worded)
    of_sets = {set_: tuple(item.text for item in items if item.set == set_) for set_ in SETS}
    return AssociationTest(
        name,
        where,
        categories,
        of_sets,
        items,
        remarks=tuple(check_sets(where, of_sets)),
        words=tuple(word for _, word in worded),
        truth={"strength": strength},
    )
