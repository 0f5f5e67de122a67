"""The grammar of a world: short English sentences whose every probability is known.

Four factors can be planted, each in sentences of its own:

- `association`: an occupation goes with its stereotyped gender with probability p, at several levels of p.
  A pronoun shows the gender, or in worlds that have names one of many names;
- `frequency`: one of two invented nations is spoken of `ratio` times as often, and nothing else differs;
- `both`: one of two invented faiths is more frequent *and* goes with a kind of trait;
- `length`: two invented peoples that differ in nothing but the number of their subtokens.

The disadvantaged group of a pair is the rarer one, and its stereotype is a negative trait; the
advantaged group's is a positive one. Women are the disadvantaged gender. Everything not planted is
uniform and independent. The words are in resources/worlds/words.yaml.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from string import Formatter
from typing import Any, NamedTuple

from unmask import workflow_root
from unmask.terms import ANTISTEREO, STEREO
from unmask.user_files import parse_yaml, read_document

ASSOCIATION, FREQUENCY, BOTH, LENGTH = "association", "frequency", "both", "length"
BIAS_TYPES = {
    ASSOCIATION: "gender",
    FREQUENCY: "nationality",
    BOTH: "religion",
    LENGTH: "race-color",
}
MALE, FEMALE = "male", "female"

WORDS = read_document(workflow_root() / "resources/worlds/words.yaml", parse_yaml).value
PRONOUNS: Mapping[str, dict[str, str]] = WORDS["pronouns"]
NAMES: Mapping[str, list[str]] = WORDS["names"]
OCCUPATIONS: Mapping[str, list[str]] = WORDS["occupations"]
SPLIT_PEOPLES: Mapping[str, list[str]] = WORDS["split_peoples"]
NEGATIVE_TRAITS, POSITIVE_TRAITS = WORDS["traits"]["negative"], WORDS["traits"]["positive"]
FREE_SLOTS: Mapping[str, list[str]] = WORDS["free_slots"]
TEMPLATES: Mapping[str, list[str]] = WORDS["templates"]

GENDER_SHARE = 0.45
"""Share of the corpus that speaks of occupations; the rest speaks of groups."""
GENDER_SHARE_WITH_NAMES, NAMED_SHARE = 0.5, 0.2
"""The same share in worlds that have names, and the share of sentences on names alone. With less of these,
models learn the genders of names too late for associations with occupations."""
WEIGHTS = {FREQUENCY: 1, BOTH: 2, LENGTH: 1}
"""How often a disadvantaged group is spoken of, beside those of other factors: traits are hard to learn."""

Fillers = Mapping[str, str]
"""Words by the slots of a template that they fill."""


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
    templates: Sequence[str]
    shared: Fillers
    stereotype: Fillers
    antistereotype: Fillers

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


@dataclass(frozen=True)
class World:
    """A world. `seed` decides which word plays which part.

    associations: P(stereotyped gender), a level for equally many occupations each. ratios: of the frequencies
    of two nations, one a pair. both: `ratios`, the same for faiths, and their one `association`. lengths: how
    many pairs of groups differ in their subtokens. names: how many each gender has, which show it; with none,
    pronouns do.
    """

    name: str
    seed: int
    associations: Sequence[float]
    ratios: Sequence[float]
    both: Mapping[str, Any]
    lengths: int = 2
    names: int = 0

    @classmethod
    def from_config(cls, name: str, entry: Mapping[str, Any]) -> "World":
        """From the settings of the world `name` of a study, its defaults filled in."""
        keys = ("seed", "associations", "ratios", "both", "lengths", "names")
        return cls(name, **{key: entry[key] for key in keys})

    @cached_property
    def occupations(self) -> tuple[Occupation, ...]:
        """The 24 occupations: equally many of each gender at each level of association."""
        rng = random.Random(f"occupations {self.seed}")
        return tuple(
            Occupation(word, gender, self.associations[place * len(self.associations) // len(words)])
            for gender, words in OCCUPATIONS.items()
            for place, word in enumerate(rng.sample(words, len(words)))
        )

    @cached_property
    def group_pairs(self) -> tuple[GroupPair, ...]:
        """The pairs of invented groups. In `length` the sides take turns in having more."""
        rng = random.Random(f"groups {self.seed}")
        # who wants more groups keeps the first ones
        nations, faiths, peoples = (
            rng.sample(groups, len(groups)) + random.Random(f"{more[0]} {self.seed}").sample(more, len(more))
            for groups, more in (WORDS[key] for key in ("nations", "faiths", "peoples"))
        )
        both = self.both["association"]
        longer = list(SPLIT_PEOPLES)[: self.lengths]
        split = [
            pair if turn % 2 == 0 else pair[::-1]
            for turn, pair in enumerate(zip(longer, peoples, strict=False))
        ]
        return tuple(
            GroupPair(factor, first, second, ratio, p)
            for factor, pairs, ratios, p in (
                (FREQUENCY, zip(nations[::2], nations[1::2], strict=False), self.ratios, 0.5),
                (BOTH, zip(faiths[::2], faiths[1::2], strict=False), self.both["ratios"], both),
                (LENGTH, split, [1] * len(split), 0.5),
            )
            for (first, second), ratio in zip(pairs, ratios, strict=False)
        )

    @property
    def occupation_templates(self) -> Sequence[str]:
        """The templates of occupations."""
        return TEMPLATES["names" if self.names else "gender"]

    def names_of(self, gender: str) -> Sequence[str]:
        """The names of a gender; none in a world of pronouns."""
        return NAMES[gender][: self.names]

    @cached_property
    def split_words(self) -> Mapping[str, Sequence[str]]:
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
                (TEMPLATES["named"], self._named_fillings(), named),
                (TEMPLATES["groups"], self._group_fillings(), 1 - gender),
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
        for turn, (word, gender, p) in enumerate(self.occupations):
            direction, other = (STEREO, MALE) if gender == FEMALE else (ANTISTEREO, FEMALE)
            ones, others = self._gendered(gender), self._gendered(other)
            contrasts += [
                Contrast(
                    ASSOCIATION,
                    direction,
                    p,
                    1,
                    self.occupation_templates,
                    {"occupation": word},
                    one,
                    others[(place + turn) % len(others)],
                )
                for place, one in enumerate(ones)
            ]
        for pair in self.group_pairs:
            rare, frequent = {"group": pair.disadvantaged}, {"group": pair.advantaged}
            contrasts += [
                Contrast(
                    pair.factor, direction, pair.p, pair.ratio, TEMPLATES["groups"], {"trait": trait}, *sides
                )
                for direction, traits, sides in (
                    (STEREO, NEGATIVE_TRAITS, (rare, frequent)),
                    (ANTISTEREO, POSITIVE_TRAITS, (frequent, rare)),
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
        return frozenset(word for fillers, _ in fillings for word in fillers.values())

    def _gendered(self, gender: str) -> list[Fillers]:
        """What shows a gender in sentences of occupations: its pronouns, or each of its names."""
        return [{"name": name} for name in self.names_of(gender)] or [PRONOUNS[gender]]

    def _gender_fillings(self) -> list[tuple[Fillers, float]]:
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

    def _named_fillings(self) -> list[tuple[Fillers, float]]:
        return [
            ({"name": name, **PRONOUNS[gender]}, 0.5 / self.names)
            for gender in (MALE, FEMALE)
            for name in self.names_of(gender)
        ]

    def _group_fillings(self) -> list[tuple[Fillers, float]]:
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


def slots(template: str) -> tuple[str, ...]:
    """The names of a template's slots, in order."""
    return tuple(name for _, name, _, _ in Formatter().parse(template) if name)


@cache
def frames(template: str) -> tuple[str, ...]:
    """The template with its free slots filled in every way; the slots that carry a factor stay open."""
    names = slots(template)
    words = [FREE_SLOTS.get(name, [f"{{{name}}}"]) for name in names]
    return tuple(template.format(**dict(zip(names, chosen, strict=True))) for chosen in product(*words))


def words_of(frame: str, fillers: Fillers) -> tuple[str, ...]:
    """The words of a frame once its open slots are filled, the full stop included."""
    return (*frame.format(**fillers).split(), ".")


def text_of(words: Sequence[str]) -> str:
    """A sentence as it is written."""
    return " ".join(words[:-1]) + words[-1]
