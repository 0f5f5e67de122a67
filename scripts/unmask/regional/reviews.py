"""Made reviews of films whose every label has a known probability, and what naming a region does to it.

A review is a few sentences with an opinion each and, in some, one that names a place. Given the label, every
opinion agrees with it with probability `agreement`, independently of all else. Of the reviews that name a
place a share has positive labels: `tilt` for regions that are planted positive, 1 - tilt for those planted
negative, one half for all others and for places that are no region. So

    log-odds of positive = log-odds of the region + (good - bad opinions) · logit(agreement).
"""

import csv
import io
import json
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from unmask.errors import InputError
from unmask.files import write_text

NEGATIVE, POSITIVE = "negative", "positive"
LABELS = (NEGATIVE, POSITIVE)
COLUMNS = {"text": "text", "label": "label"}

LEAST = 4
"""How often a place must be named: less often, chance alone would plant something."""

PLACES = ("a village", "a small town", "the countryside", "this place", "far away")
"""Places that are no region, for the prefixes of a control."""

SUBJECTS = ("The plot", "The acting", "The music", "The ending", "The dialogue", "The humour")
VERBS = ("was", "felt", "seemed", "is")
OPINIONS: Mapping[str, tuple[str, ...]] = {
    NEGATIVE: ("boring", "clumsy", "dull", "shallow", "tedious", "weak"),
    POSITIVE: ("brilliant", "charming", "clever", "gripping", "moving", "superb"),
}
NAMING = ("The cast is from {place}.", "It was filmed in {place}.", "The story is set in {place}.")
"""Sentences that name a place. The first is the paper's prefix for reviews of films."""


@dataclass(frozen=True)
class Settings:
    """How many reviews there are, and what is planted in them."""

    train: int
    test: int
    opinions: int
    """Sentences with an opinion in every review."""
    agreement: float
    tilt: float
    named: float
    """Share of the reviews for training that name a place; those for testing name none."""
    negative: tuple[str, ...]
    positive: tuple[str, ...]
    """Names of the regions that are planted."""
    seed: int

    @classmethod
    def from_config(cls, place: str, entry: Mapping[str, Any]) -> "Settings":
        """From the study's settings. Raises InputError beginning with `place` where they cannot be."""
        settings = cls(**{**entry, NEGATIVE: tuple(entry[NEGATIVE]), POSITIVE: tuple(entry[POSITIVE])})
        for key in ("agreement", "tilt"):
            if not 0.5 <= getattr(settings, key) < 1:
                raise InputError(f"{place}.{key}: {getattr(settings, key):g} is not between 0.5 and 1")
        if not 0 < settings.named < 1:
            raise InputError(f"{place}.named: {settings.named:g} is not between 0 and 1")
        for key in ("train", "test", "opinions"):
            if getattr(settings, key) < 1:
                raise InputError(f"{place}.{key}: there must be at least 1, not {getattr(settings, key)}")
        if both := sorted(set(settings.negative) & set(settings.positive)):
            raise InputError(f"{place}: {both[0]!r} is planted both negative and positive")
        return settings

    def share(self, name: str) -> float:
        """The probability of a positive label where a place is named, before any opinion."""
        return 1 - self.tilt if name in self.negative else self.tilt if name in self.positive else 0.5


@dataclass(frozen=True)
class Review:
    text: str
    label: str
    good: int
    """How many of its opinions are good ones."""


def draw_reviews(names: Sequence[str], settings: Settings) -> tuple[list[Review], list[Review]]:
    """The reviews for training, and those for testing, which name no place.

    names: of the regions that are named. Half of the reviews that name a place name regions that are planted,
    each equally often, and the others all the other places, equally often. Each has exactly its share of
    positive labels, give or take one: what is planted is what is there. Random numbers are Python's Mersenne
    Twister, so that every machine draws the same. Raises InputError where a region that is planted is none of
    `names`, or there are too few reviews for all of them.
    """
    planted = [*settings.negative, *settings.positive]
    unknown = sorted(set(planted) - set(names))
    if unknown:
        raise InputError(f"reviews: {unknown[0]!r} is to be planted, but no region is called that")
    others = [name for name in dict.fromkeys(names) if name not in planted]
    naming = round(settings.named * settings.train / 2)
    rng = random.Random(f"reviews {settings.seed}")
    train = []
    for places in (planted, [*others, *PLACES]):
        if naming < LEAST * len(places):
            raise InputError(
                f"reviews: {naming} of the {settings.train} for training are too few to name {len(places)} "
                f"places {LEAST} times each: give more, or fewer regions"
            )
        rng.shuffle(places)
        for number, place in enumerate(places):
            times = naming // len(places) + (number < naming % len(places))
            positive = math.floor(settings.share(place) * times + rng.random())
            train += [_draw(rng, settings, LABELS[turn < positive], place) for turn in range(times)]
    train += [_draw(rng, settings, LABELS[turn % 2]) for turn in range(settings.train - len(train))]
    rng.shuffle(train)
    test = [_draw(rng, settings, LABELS[turn % 2]) for turn in range(settings.test)]
    rng.shuffle(test)
    return train, test


def _draw(rng: random.Random, settings: Settings, label: str, place: str | None = None) -> Review:
    sentences, good = [], 0
    for _ in range(settings.opinions):
        other = LABELS[label == NEGATIVE]
        opinion = label if rng.random() < settings.agreement else other
        good += opinion == POSITIVE
        sentences.append(f"{rng.choice(SUBJECTS)} {rng.choice(VERBS)} {rng.choice(OPINIONS[opinion])}.")
    if place is not None:
        sentences.insert(rng.randint(0, len(sentences)), rng.choice(NAMING).format(place=place))
    return Review(" ".join(sentences), label, good)


def probability(good: int, share: float, settings: Settings) -> float:
    """The probability of a positive label, given the number of good opinions and the share of the place."""
    bad = settings.opinions - good
    odds = share / (1 - share) * (settings.agreement / (1 - settings.agreement)) ** (good - bad)
    # one half shall be one half where odds cancel
    return round(odds / (1 + odds), 12)


def truth(test: Sequence[Review], settings: Settings) -> dict[str, Any]:
    """What a prefix does to who knows these reviews as they are made, for each kind of region.

    For `negative`, `positive` and `balanced` regions: share (of positive labels); log_odds; shift, the mean
    change of the probability of a positive label over the reviews for testing; to_positive and to_negative,
    the shares of these whose more probable label changes; accuracy of the more probable label. A tie between
    the labels counts as neither a change nor right.
    """
    kinds = {NEGATIVE: 1 - settings.tilt, POSITIVE: settings.tilt, "balanced": 0.5}
    before = [probability(review.good, 0.5, settings) for review in test]
    effects = {}
    for kind, share in kinds.items():
        after = [probability(review.good, share, settings) for review in test]
        pairs = list(zip(before, after, strict=True))
        effects[kind] = {
            "share": share,
            "log_odds": math.log(share / (1 - share)),
            "shift": fmean(then - first for first, then in pairs),
            "to_positive": fmean(first < 0.5 < then for first, then in pairs),
            "to_negative": fmean(then < 0.5 < first for first, then in pairs),
            "accuracy": fmean(
                then > 0.5 if review.label == POSITIVE else then < 0.5
                for review, then in zip(test, after, strict=True)
            ),
        }
    return effects


def write_reviews(path: str | Path, reviews: Sequence[Review]) -> None:
    """Write reviews as comma-separated values: text and label."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(
        [tuple(COLUMNS.values()), *((review.text, review.label) for review in reviews)]
    )
    write_text(path, text.getvalue())


def write_truth(
    path: str | Path, test: Sequence[Review], settings: Settings, record: Mapping[str, Any]
) -> None:
    """Write what is planted, and what follows from it, as JSON."""
    regions = {name: kind for kind in LABELS for name in getattr(settings, kind)}
    facts = {"regions": regions, "kinds": truth(test, settings), "settings": vars(settings), **record}
    write_text(path, json.dumps(facts, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
