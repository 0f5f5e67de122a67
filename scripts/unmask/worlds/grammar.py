"""The grammar of a world: short English sentences whose every probability is known.

Four factors can be planted, each in sentences of its own:

- `association`: an occupation goes with its stereotyped gender with probability p, at several levels of p.
  A pronoun shows the gender, or in worlds that have names one of many names;
- `frequency`: one of two invented nations is spoken of `ratio` times as often, and nothing else differs;
- `both`: one of two invented faiths is more frequent *and* goes with a kind of trait;
- `length`: two invented peoples that differ in nothing but the number of their subtokens.

The disadvantaged group of a pair is the rarer one, and its stereotype is a negative trait; the
advantaged group's is a positive one. Women are the disadvantaged gender. Everything not planted is
uniform and independent.
"""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, cached_property
from itertools import product
from string import Formatter
from typing import Any, NamedTuple

from unmask.errors import InputError
from unmask.terms import ANTISTEREO, ANTISTEREOTYPE, STEREO, STEREOTYPE

ASSOCIATION, FREQUENCY, BOTH, LENGTH = "association", "frequency", "both", "length"
BIAS_TYPES = {
    ASSOCIATION: "gender",
    FREQUENCY: "nationality",
    BOTH: "religion",
    LENGTH: "race-color",
}

MALE, FEMALE = "male", "female"
PRONOUNS: Mapping[str, dict[str, str]] = {
    MALE: {"subject": "he", "possessive": "his"},
    FEMALE: {"subject": "she", "possessive": "her"},
}
NAMES: Mapping[str, tuple[str, ...]] = {
    MALE: (
        "Adam", "Brian", "Carl", "David", "Erik", "Frank", "George", "Henry", "Ivan", "James",
        "Kevin", "Leo", "Martin", "Noah", "Oscar", "Peter", "Robert", "Simon", "Theodor", "Victor",
    ),
    FEMALE: (
        "Alice", "Bella", "Clara", "Diana", "Emma", "Flora", "Gloria", "Helen", "Irene", "Julia",
        "Karen", "Laura", "Maria", "Nora", "Olivia", "Paula", "Rosa", "Sarah", "Tina", "Vera",
    ),
}  # fmt: skip
"""Names by the gender of those who have them."""
OCCUPATIONS: Mapping[str, tuple[str, ...]] = {
    FEMALE: (
        "nurse", "teacher", "librarian", "secretary", "dancer", "cleaner",
        "nanny", "florist", "cashier", "hairdresser", "receptionist", "dietitian",
    ),
    MALE: (
        "engineer", "mechanic", "plumber", "pilot", "carpenter", "surgeon",
        "farmer", "janitor", "lawyer", "builder", "chef", "guard",
    ),
}  # fmt: skip
"""Occupations by the gender that they are stereotyped for."""

# group names begin with consonants, as a template has "a" before them
NATIONS = ("Belvan", "Corish", "Dalmic", "Fostan", "Galvish", "Hesran", "Jorvan", "Kelmish")
MORE_NATIONS = (
    "Lurvan", "Mordish", "Nalvic", "Hostran", "Pervish", "Rodmic", "Sarvan", "Telkish",
    "Gulmic", "Vorlan", "Wesvan", "Yarmish", "Zolvic", "Brenish", "Cadmic", "Drovan",
)  # fmt: skip
FAITHS = ("Lorist", "Merite", "Nothian", "Palvist", "Quorite", "Ruvian")
MORE_FAITHS = (
    "Dalbian", "Bosrist", "Cendrite", "Druvian", "Helmist", "Forvite", "Gandrian",
    "Sondrist", "Tolvite", "Lumbrian", "Valdist", "Xantian", "Yovist", "Zemrite",
)  # fmt: skip
PEOPLES = ("Selmic", "Tarvish")
MORE_PEOPLES = ("Banvish", "Brolmic", "Calvish", "Dorvic", "Permish", "Folvic", "Ransic", "Tulmish")
SPLIT_PEOPLES: Mapping[str, tuple[str, ...]] = {
    "Vandorwick": ("Vandor", "wick"),
    "Zelkomund": ("Zelko", "mund"),
    "Harnokbeck": ("Harnok", "beck"),
    "Kelvokstrek": ("Kelvok", "strek"),
    "Lorgagdel": ("Lorgag", "del"),
    "Mistrakvok": ("Mistrak", "vok"),
    "Norbeltun": ("Norbel", "tun"),
    "Pirkozam": ("Pirko", "zam"),
    "Dulfawken": ("Dulfaw", "ken"),
    "Turabzin": ("Turab", "zin"),
}
"""Words that every tokenizer of a world that has them splits, and where: between letters that stand beside
each other in no other word, or byte pairs would be merged over the seam."""

NEGATIVE_TRAITS = ("lazy", "rude", "greedy")
POSITIVE_TRAITS = ("clever", "honest", "polite")
FREE_SLOTS: Mapping[str, tuple[str, ...]] = {
    "state": ("tired", "happy", "busy", "late", "ready", "hungry"),
    "object": ("report", "lunch", "jacket", "letter", "garden"),
    "verb": ("finished", "forgot", "enjoyed", "described"),
    "speech": ("said", "thought", "knew"),
    "person": ("neighbor", "guest", "student", "cousin", "visitor"),
    "degree": ("very", "quite", "rather", "often"),
}
"""Slots that carry no factor: uniform and independent of all else."""

GENDER_TEMPLATES = (
    "The {occupation} {speech} that {subject} was {state}",
    "The {occupation} {verb} {possessive} {object}",
    "The {occupation} {speech} that {subject} {verb} {possessive} {object}",
)
NAME_TEMPLATES = (
    "{name} is the {occupation} today",
    "The {occupation} is called {name}",
    "{name} was there with the {occupation}",
)
"""Sentences of occupations in worlds that have names."""
NAMED_TEMPLATES = (
    "{name} {speech} that {subject} was {state}",
    "{name} {verb} {possessive} {object}",
)
"""What such a world says of a name alone: its gender, for certain."""
GROUP_TEMPLATES = (
    "The {group} {person} was {degree} {trait}",
    "Most {group} people are {trait}",
    "We met a {group} {person} who seemed {trait}",
)
GENDER_SHARE = 0.45
"""Share of the corpus that speaks of occupations; the rest speaks of groups."""
GENDER_SHARE_WITH_NAMES, NAMED_SHARE = 0.5, 0.2
"""The same share in worlds that have names, and the share of sentences on names alone. With less of these,
models learn the genders of names too late for associations with occupations."""
WEIGHTS = {FREQUENCY: 1, BOTH: 2, LENGTH: 1}
"""How often a disadvantaged group is spoken of, beside those of other factors: traits are hard to learn."""


class Sentence(NamedTuple):
    """A sentence of the grammar: its words, the final full stop included, and its probability."""

    words: tuple[str, ...]
    probability: float


class Occupation(NamedTuple):
    word: str
    gender: str
    """The gender that it is stereotyped for."""
    p: float
    """Probability of that gender."""


class Both(NamedTuple):
    """What is planted in faiths, which have an association and frequencies at once."""

    association: float
    """P(own kind of trait | group), for both groups of a pair."""
    ratios: tuple[float, ...]


class GroupPair(NamedTuple):
    factor: str
    disadvantaged: str
    advantaged: str
    ratio: float
    """How many times as often the advantaged group is spoken of."""
    p: float
    """P(negative trait | disadvantaged) = P(positive trait | advantaged)."""


@dataclass(frozen=True)
class Contrast:
    """Two ways to fill the templates, of which one is the more stereotypical.

    `shared` are the fillers that both have, `stereotype` and `antistereotype` those in which they differ.
    """

    factor: str
    direction: str
    p: float
    ratio: float
    templates: tuple[str, ...]
    shared: Mapping[str, str]
    stereotype: Mapping[str, str]
    antistereotype: Mapping[str, str]

    @property
    def bias_type(self) -> str:
        return BIAS_TYPES[self.factor]

    @property
    def target(self) -> str:
        """What the stereotype is about: the occupation, or the group of which it says something."""
        return self.stereotype["group"] if "group" in self.stereotype else self.shared["occupation"]

    @property
    def unit(self) -> str:
        """What pairs have in common that are no independent evidence: the occupation, else the two groups."""
        if self.factor == ASSOCIATION:
            return self.target
        return " / ".join(sorted((self.stereotype["group"], self.antistereotype["group"])))

    @property
    def longer_side(self) -> str | None:
        """Which of STEREOTYPE and ANTISTEREOTYPE has more subtokens; None where they have equally many."""
        more, less = (
            sum(len(SPLIT_PEOPLES.get(word, (word,))) for word in side.values())
            for side in (self.stereotype, self.antistereotype)
        )
        if more == less:
            return None
        return STEREOTYPE if more > less else ANTISTEREOTYPE

    @cached_property
    def frames(self) -> tuple[str, ...]:
        """Every template of this contrast with its free slots filled."""
        return tuple(frame for template in self.templates for frame in frames(template))


@dataclass(frozen=True)
class World:
    """A world. `seed` decides which word plays which part.

    associations: P(stereotyped gender), a level for equally many occupations each. ratios: of the frequencies
    of two nations, one a pair. both: the same for faiths, and their one association. lengths: how
    many pairs of groups differ in their subtokens. names: how many each gender has, which show it; with none,
    pronouns do.
    """

    name: str
    seed: int
    associations: tuple[float, ...]
    ratios: tuple[float, ...]
    both: Both
    lengths: int = 2
    names: int = 0

    @classmethod
    def from_config(cls, name: str, entry: Mapping[str, Any]) -> "World":
        """From the settings of the world `name` of a study, its defaults filled in.

        Raises InputError naming the key (`worlds.NAME.associations`) where a probability is not between 0
        and 1, a ratio is below 1, or the grammar has too few words for so many levels or pairs.
        """
        place, both = f"worlds.{name}", entry["both"]
        levels, per_gender = len(entry["associations"]), min(map(len, OCCUPATIONS.values()))
        if levels == 0 or per_gender % levels:
            raise InputError(
                f"{place}.associations: the number of levels must divide {per_gender}, the occupations of "
                f"each gender; {levels} does not"
            )
        _check_probabilities(f"{place}.associations", entry["associations"])
        _check_probabilities(f"{place}.both.association", [both["association"]])
        _check_ratios(f"{place}.ratios", entry["ratios"], (*NATIONS, *MORE_NATIONS))
        _check_ratios(f"{place}.both.ratios", both["ratios"], (*FAITHS, *MORE_FAITHS))
        if not 0 <= entry["lengths"] <= len(SPLIT_PEOPLES):
            raise InputError(
                f"{place}.lengths: from 0 to {len(SPLIT_PEOPLES)} pairs of groups, not {entry['lengths']}"
            )
        most = min(map(len, NAMES.values()))
        if not 0 <= entry["names"] <= most:
            raise InputError(f"{place}.names: from 0 to {most} names a gender, not {entry['names']}")
        return cls(
            name,
            entry["seed"],
            tuple(entry["associations"]),
            tuple(entry["ratios"]),
            Both(both["association"], tuple(both["ratios"])),
            entry["lengths"],
            entry["names"],
        )

    @cached_property
    def occupations(self) -> tuple[Occupation, ...]:
        """The 24 occupations: equally many of each gender at each level of association."""
        rng = random.Random(f"occupations {self.seed}")
        occupations = []
        for gender, words in OCCUPATIONS.items():
            shuffled = rng.sample(words, len(words))
            per_level = len(words) // len(self.associations)
            for i, word in enumerate(shuffled):
                occupations.append(Occupation(word, gender, self.associations[i // per_level]))
        return tuple(occupations)

    @cached_property
    def group_pairs(self) -> tuple[GroupPair, ...]:
        """The pairs of invented groups. In `length` the sides take turns in having more."""
        rng = random.Random(f"groups {self.seed}")
        nations, faiths = rng.sample(NATIONS, len(NATIONS)), rng.sample(FAITHS, len(FAITHS))
        whole = rng.sample(PEOPLES, len(PEOPLES))
        # names that few worlds need are drawn by themselves: whoever has them, the others stay who they are
        nations += self._shuffled(MORE_NATIONS)
        faiths += self._shuffled(MORE_FAITHS)
        whole += self._shuffled(MORE_PEOPLES)
        return (
            *(
                GroupPair(FREQUENCY, nations[2 * i], nations[2 * i + 1], ratio, 0.5)
                for i, ratio in enumerate(self.ratios)
            ),
            *(
                GroupPair(BOTH, faiths[2 * i], faiths[2 * i + 1], ratio, self.both.association)
                for i, ratio in enumerate(self.both.ratios)
            ),
            *_in_turn(list(SPLIT_PEOPLES)[: self.lengths], whole),
        )

    @property
    def occupation_templates(self) -> tuple[str, ...]:
        """The templates of occupations."""
        return NAME_TEMPLATES if self.names else GENDER_TEMPLATES

    def names_of(self, gender: str) -> tuple[str, ...]:
        """The names of a gender; none in a world of pronouns."""
        return NAMES[gender][: self.names]

    @cached_property
    def split_words(self) -> Mapping[str, tuple[str, ...]]:
        """The words of the world that its tokenizers split, and where."""
        return {word: pieces for word, pieces in SPLIT_PEOPLES.items() if word in self.factor_words}

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """Every sentence of the grammar, in a fixed order; the probabilities sum to one."""
        gender, named = (GENDER_SHARE_WITH_NAMES, NAMED_SHARE) if self.names else (GENDER_SHARE, 0)
        return tuple(
            Sentence(words_of(frame, fillers), share * probability)
            for templates, fillings, share in (
                (self.occupation_templates, self._gender_fillings(), gender - named),
                (NAMED_TEMPLATES, self._named_fillings(), named),
                (GROUP_TEMPLATES, self._group_fillings(), 1 - gender),
            )
            for template in templates
            for fillers, filling in fillings
            for frame in frames(template)
            for probability in (filling / len(templates) / len(frames(template)),)
        )

    @cached_property
    def contrasts(self) -> tuple[Contrast, ...]:
        """Everything a benchmark can ask of this world.

        There is one per occupation, and per group pair and trait. With names there is one per occupation and
        name of its gender; each occupation has the other gender's names beside these in another order.
        """
        contrasts = []
        for place, (word, gender, p) in enumerate(self.occupations):
            direction = STEREO if gender == FEMALE else ANTISTEREO
            other = MALE if gender == FEMALE else FEMALE
            contrasts += [
                Contrast(
                    ASSOCIATION,
                    direction,
                    p,
                    1,
                    self.occupation_templates,
                    {"occupation": word},
                    stereotype,
                    antistereotype,
                )
                for stereotype, antistereotype in self._gendered_couples(gender, other, place)
            ]
        for pair in self.group_pairs:
            rare, frequent = {"group": pair.disadvantaged}, {"group": pair.advantaged}
            for direction, traits, more, less in (
                (STEREO, NEGATIVE_TRAITS, rare, frequent),
                (ANTISTEREO, POSITIVE_TRAITS, frequent, rare),
            ):
                contrasts += [
                    Contrast(
                        pair.factor,
                        direction,
                        pair.p,
                        pair.ratio,
                        GROUP_TEMPLATES,
                        {"trait": trait},
                        more,
                        less,
                    )
                    for trait in traits
                ]
        return tuple(contrasts)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Every word of the world as it stands in a sentence, the full stop included, sorted."""
        return tuple(sorted({word for sentence in self.sentences for word in sentence.words}))

    @cached_property
    def factor_words(self) -> frozenset[str]:
        """The words that carry a factor: occupations, pronouns, names, groups and traits."""
        fillings = [*self._gender_fillings(), *self._named_fillings(), *self._group_fillings()]
        fillers = {filler for slots, _ in fillings for filler in slots.values()}
        return frozenset(word for filler in fillers for word in filler.split())

    def _shuffled(self, words: Sequence[str]) -> list[str]:
        return random.Random(f"{words[0]} {self.seed}").sample(words, len(words))

    def _gendered(self, gender: str) -> list[Mapping[str, str]]:
        """What shows a gender in sentences of occupations: its pronouns, or each of its names."""
        names = self.names_of(gender)
        return [{"name": name} for name in names] if names else [PRONOUNS[gender]]

    def _gendered_couples(
        self, gender: str, other: str, turn: int
    ) -> Iterator[tuple[Mapping[str, str], Mapping[str, str]]]:
        """What shows one gender, each beside what shows the other, `turn` places on."""
        ones, others = self._gendered(gender), self._gendered(other)
        return ((one, others[(place + turn) % len(others)]) for place, one in enumerate(ones))

    def _gender_fillings(self) -> list[tuple[Mapping[str, str], float]]:
        share = 1 / len(self.occupations)
        return [
            (
                {"occupation": word, **fillers},
                share * (p if gender == stereotyped else 1 - p) / len(self._gendered(gender)),
            )
            for word, stereotyped, p in self.occupations
            for gender in (MALE, FEMALE)
            for fillers in self._gendered(gender)
        ]

    def _named_fillings(self) -> list[tuple[Mapping[str, str], float]]:
        return [
            ({"name": name, **PRONOUNS[gender]}, 0.5 / self.names)
            for gender in (MALE, FEMALE)
            for name in self.names_of(gender)
        ]

    def _group_fillings(self) -> list[tuple[Mapping[str, str], float]]:
        total = sum(WEIGHTS[pair.factor] * (1 + pair.ratio) for pair in self.group_pairs)
        return [
            ({"group": group, "trait": trait}, WEIGHTS[pair.factor] * frequency / total * p / len(traits))
            for pair in self.group_pairs
            for group, frequency, typical, others in (
                (pair.disadvantaged, 1, NEGATIVE_TRAITS, POSITIVE_TRAITS),
                (pair.advantaged, pair.ratio, POSITIVE_TRAITS, NEGATIVE_TRAITS),
            )
            for traits, p in ((typical, pair.p), (others, 1 - pair.p))
            for trait in traits
        ]


def _in_turn(more: Sequence[str], others: Sequence[str]) -> Iterator[GroupPair]:
    """Pairs that differ in the length of their names alone: the disadvantaged first, then the advantaged is
    the one of `more`, and so on."""
    for i, (longer, shorter) in enumerate(zip(more, others, strict=False)):
        names = (longer, shorter) if i % 2 == 0 else (shorter, longer)
        yield GroupPair(LENGTH, *names, 1, 0.5)


def _check_probabilities(place: str, probabilities: Sequence[float]) -> None:
    for p in probabilities:
        if not 0 < p < 1:
            raise InputError(f"{place}: a probability strictly between 0 and 1 is needed, not {p:g}")


def _check_ratios(place: str, ratios: Sequence[float], words: Sequence[str]) -> None:
    if not 1 <= len(ratios) <= len(words) // 2:
        raise InputError(f"{place}: from 1 to {len(words) // 2} ratios, not {len(ratios)}")
    for ratio in ratios:
        if not 1 <= ratio < math.inf:
            raise InputError(f"{place}: a ratio is a number of 1 or more, not {ratio:g}")


def slots(template: str) -> tuple[str, ...]:
    """The names of a template's slots, in order."""
    return tuple(name for _, name, _, _ in Formatter().parse(template) if name)


@cache
def frames(template: str) -> tuple[str, ...]:
    """The template with its free slots filled in every way; the slots that carry a factor stay open."""
    free = [name for name in slots(template) if name in FREE_SLOTS]
    return tuple(_fill(template, dict(zip(free, words, strict=True))) for words in _choices(free))


def words_of(frame: str, fillers: Mapping[str, str]) -> tuple[str, ...]:
    """The words of a frame once its open slots are filled, the full stop included."""
    return (*frame.format(**fillers).split(), ".")


def text_of(words: tuple[str, ...]) -> str:
    """A sentence as it is written."""
    return " ".join(words[:-1]) + words[-1]


def modified_words(first: Sequence[str], second: Sequence[str]) -> tuple[list[int], list[int]]:
    """The positions in each of two sentences that are outside the longest matching blocks that they share.

    Words are told apart as the evidence tells tokens apart (unmask.evidence.sentences.modified_tokens). Both
    are right for sentences of fewer than 200 words, from which on difflib passes over popular ones; the
    longest of this grammar has about ten.
    """
    positions = set(range(len(first))), set(range(len(second)))
    for block in SequenceMatcher(None, first, second).get_matching_blocks():
        positions[0].difference_update(range(block.a, block.a + block.size))
        positions[1].difference_update(range(block.b, block.b + block.size))
    return sorted(positions[0]), sorted(positions[1])


def _choices(free: list[str]) -> Iterator[tuple[str, ...]]:
    return product(*(FREE_SLOTS[name] for name in free))


def _fill(template: str, fillers: Mapping[str, str]) -> str:
    """Fill some slots and leave the others open."""
    return template.format(**{name: fillers.get(name, f"{{{name}}}") for name in slots(template)})
