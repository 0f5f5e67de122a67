"""What a world makes: a corpus, benchmarks in the formats of CrowS-Pairs and StereoSet, the truth about their
pairs, and sentences and words to debias models with."""

import csv
import hashlib
import json
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, product, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from unmask.files import write_text, written_whole
from unmask.terms import STEREO
from unmask.worlds.grammar import (
    ASSOCIATION,
    FEMALE,
    FREE_SLOTS,
    MALE,
    NAMES,
    PRONOUNS,
    TEMPLATES,
    Contrast,
    World,
    frames,
    slots,
    text_of,
    words_of,
)

CROWS_PAIRS, STEREOSET = "crows-pairs", "stereoset"
VALIDATORS = 5
ANNOTATORS = 20
"""How many invented people the writer and the validators of a pair are drawn from."""
_CROWS_PAIRS_HEADER = (
    "", "sent_more", "sent_less", "stereo_antistereo",
    "bias_type", "annotations", "anon_writer", "anon_annotators",
)  # fmt: skip
_LABELS = ("stereotype", "anti-stereotype", "unrelated")
_DIFFERING = frozenset({"subject", "possessive", "name", "group"})
"""The slots in which the two sentences of a pair differ."""
_UNRELATED = FREE_SLOTS["object"]
"""Words of the world that fit neither where a pronoun nor where a group stands."""


Votes = Sequence[str | None]


class Counts(NamedTuple):
    """How many pairs each benchmark has per occupation, and per group pair and trait.

    So many are of each stereotype about the disadvantaged group. Those about the advantaged one are as many
    as make `stereo_share` the share of the former at each level of what is planted.
    """

    per_occupation: int
    per_trait: int
    stereo_share: float = 0.5


def most_pairs(names: int) -> dict[str, int]:
    """How many pairs per occupation and per trait the grammar has sentences for. names: of each gender."""
    return {
        key: fillers * sum(len(frames(template)) for template in _usable(TEMPLATES[templates], STEREOSET))
        for key, templates, fillers in (
            ("per_occupation", "names" if names else "gender", names or 1),
            ("per_trait", "groups", 1),
        )
    }


@dataclass(frozen=True)
class PlantedPair:
    """Two sentences of the grammar that differ as their contrast says, and one that is out of place.

    `votes` are the bias types that the validators chose, or None.
    """

    pair_id: str
    contrast: Contrast
    stereotype: tuple[str, ...]
    antistereotype: tuple[str, ...]
    unrelated: tuple[str, ...]
    votes: Votes

    def facts(self) -> dict[str, Any]:
        """What is planted in the pair."""
        names = ("factor", "bias_type", "direction", "target", "p", "ratio")
        return {name: getattr(self.contrast, name) for name in names}

    @property
    def modified(self) -> tuple[int, ...]:
        """Positions of the words in which the stereotypical sentence differs from the other."""
        both = zip(self.stereotype, self.antistereotype, strict=True)
        return tuple(place for place, (one, other) in enumerate(both) if one != other)


def crows_pairs(world: World, counts: Counts) -> list[PlantedPair]:
    """The pairs of the CrowS-Pairs file; their ids are the numbers of its first column."""
    return [_pair(str(number), *drawn) for number, drawn in enumerate(_draw(world, CROWS_PAIRS, counts))]


def stereoset(world: World, counts: Counts) -> list[PlantedPair]:
    """The pairs of the StereoSet file: one BLANK each, of one word; their ids are those of its items."""
    return [
        _pair(_hexadecimal(f"{world.seed} {number} {frame} {contrast.target}"), contrast, frame, word, votes)
        for number, (contrast, frame, word, votes) in enumerate(_draw(world, STEREOSET, counts))
    ]


def _pair(pair_id: str, contrast: Contrast, frame: str, unrelated: str, votes: Votes) -> PlantedPair:
    """The pair of a contrast in a frame, whose open slot an unrelated word fills, too."""
    sides = contrast.stereotype, contrast.antistereotype, dict.fromkeys(contrast.stereotype, unrelated)
    first, second, third = (words_of(frame, {**contrast.shared, **side}) for side in sides)
    return PlantedPair(pair_id, contrast, first, second, third, votes)


def write_crows_pairs(path: str | Path, pairs: Sequence[PlantedPair]) -> None:
    """Write pairs as a CrowS-Pairs CSV: `sent_more` is always the stereotypical sentence."""
    rng = random.Random("annotators")
    with written_whole(path) as partial, open(partial, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_CROWS_PAIRS_HEADER)
        for pair in pairs:
            author, *validators = (f"a{i}" for i in rng.sample(range(ANNOTATORS), 1 + VALIDATORS))
            annotations = [[vote] if vote else [] for vote in pair.votes]
            sentences = text_of(pair.stereotype), text_of(pair.antistereotype)
            kinds = pair.contrast.direction, pair.contrast.bias_type
            writer.writerow((pair.pair_id, *sentences, *kinds, annotations, author, validators))


def write_stereoset(path: str | Path, pairs: Sequence[PlantedPair]) -> None:
    """Write pairs as the intrasentence part of a StereoSet JSON; the order of the three sentences varies."""
    rng = random.Random("order")
    items = [_stereoset_item(pair, rng) for pair in pairs]
    document = {"version": "1.0", "data": {"intersentence": [], "intrasentence": items}}
    write_text(path, json.dumps(document, indent=1) + "\n")


def _usable(templates: Sequence[str], benchmark: str) -> list[str]:
    """The templates that a benchmark can have: a BLANK is one word."""
    most = 1 if benchmark == STEREOSET else 2
    return [template for template in templates if len(_DIFFERING.intersection(slots(template))) <= most]


def _draw(world: World, benchmark: str, counts: Counts) -> list[tuple[Contrast, str, str, Votes]]:
    """What pairs are made of, in random order: contrasts, frames, unrelated words and votes."""
    rng = random.Random(f"{benchmark} {world.seed}")
    bias_types = sorted({contrast.bias_type for contrast in world.contrasts})
    draws: list[tuple[Contrast, str, str, Votes]] = []
    # drawn by itself: whoever has names, the others' pairs stay what they are
    turns = random.Random(f"turns {benchmark} {world.seed}")
    next_name = turns.randrange(world.names) if world.names else 0
    for alike, count in _subjects(world, benchmark, counts):
        usable = _usable(alike[0].templates, benchmark)
        # the templates take turns: they have very different numbers of frames
        rounds = zip_longest(*(rng.sample(frames(t), len(frames(t))) for t in usable))
        chosen = [frame for turn in rounds for frame in turn if frame]
        if len(alike) > 1:
            # the names take turns, too, all over the benchmark
            first, next_name = next_name, next_name + count
        else:
            first = turns.randrange(len(usable)) if count < len(usable) else 0
        for number in range(first, first + count):
            turn, place = divmod(number, len(alike))
            contrast, frame = alike[place], chosen[(place + turn) % len(chosen)]
            draws.append((contrast, frame, rng.choice(_UNRELATED), _votes(contrast, bias_types, rng)))
    rng.shuffle(draws)
    return draws


def _subjects(world: World, benchmark: str, counts: Counts) -> Iterator[tuple[list[Contrast], int]]:
    """The contrasts of a benchmark, those together that differ in nothing but names, and how many pairs of
    them there are to be."""
    rng = random.Random(f"directions {benchmark} {world.seed}")
    subjects: dict[tuple[str, str], list[Contrast]] = {}
    for contrast in world.contrasts:
        (word,) = contrast.shared.values()
        subjects.setdefault((contrast.unit, word), []).append(contrast)
    levels: dict[tuple[str, float, float], list[tuple[str, str]]] = {}
    for subject, (contrast, *_) in subjects.items():
        levels.setdefault((contrast.factor, contrast.p, contrast.ratio), []).append(subject)
    numbers: dict[tuple[str, str], int] = {}
    for of_level in levels.values():
        stereo = [subject for subject in of_level if subjects[subject][0].direction == STEREO]
        others = [subject for subject in of_level if subject not in stereo]
        each = counts.per_occupation if subjects[of_level[0]][0].factor == ASSOCIATION else counts.per_trait
        numbers |= dict.fromkeys(stereo, each)
        total = round(each * len(stereo) * (1 - counts.stereo_share) / counts.stereo_share)
        least, more = divmod(total, len(others))
        one_more = rng.sample(others, more)
        numbers |= {subject: least + (subject in one_more) for subject in others}
    return ((alike, numbers[subject]) for subject, alike in subjects.items())


def _votes(contrast: Contrast, bias_types: Sequence[str], rng: random.Random) -> list[str | None]:
    """One vote a validator: the stronger the association, the likelier the pair's own bias type."""
    others = [bias_type for bias_type in bias_types if bias_type != contrast.bias_type]
    # P(own type): .55 where nothing is associated, .95 at p = .9; one vote in twenty is for another type
    p_bias_type = 0.55 + (contrast.p - 0.5)

    def vote() -> str | None:
        chance = rng.random()
        return contrast.bias_type if chance < p_bias_type else rng.choice(others) if chance > 0.95 else None

    return [vote() for _ in range(VALIDATORS)]


def _stereoset_item(pair: PlantedPair, rng: random.Random) -> dict[str, Any]:
    people = [_hexadecimal(f"person {i}") for i in rng.sample(range(ANNOTATORS), VALIDATORS)]
    sentences = [
        {
            "sentence": text_of(words),
            "id": _hexadecimal(f"{pair.pair_id} {label}"),
            "labels": [{"label": label, "human_id": person} for person in people],
            "gold_label": label,
        }
        for label, words in zip(_LABELS, (pair.stereotype, pair.antistereotype, pair.unrelated), strict=True)
    ]
    rng.shuffle(sentences)
    (blank,) = pair.modified
    context = (*pair.stereotype[:blank], "BLANK", *pair.stereotype[blank + 1 :])
    return {
        "id": pair.pair_id,
        "target": pair.contrast.target,
        "bias_type": pair.contrast.bias_type,
        "context": text_of(context),
        "sentences": sentences,
    }


def _hexadecimal(text: str) -> str:
    """A 32-digit identifier that follows from the text."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def truth(world: World, counts: Counts) -> dict[str, Any]:
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
