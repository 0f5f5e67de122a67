"""Worlds for tests: the default one, as the schema has it, others by what differs in them, and a tiny one."""

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import pandas as pd

from library import PAIRS, Counts, World, complete, crows_pairs, text_of
from library import WorldsSentence as Sentence

OTHERS: dict[str, dict[str, Any]] = {
    "uneven": {
        "seed": 2,
        "associations": [0.3, 0.95],
        "ratios": [1.5, 12],
        "both": {"association": 0.65, "ratios": [2.5]},
    },
}
"""Settings of a world that differs from the default in everything."""

DOSED: dict[str, Any] = {
    "seed": 1,
    "associations": [0.5, 0.5, 0.5, 0.6, 0.6, 0.75, 0.75, 0.75, 0.85, 0.9, 0.9, 0.95],
    "ratios": [1, 1, 1, 1, 4, 4, 4, 4, 16, 16, 16, 16],
    "both": {"association": 0.8, "ratios": [1, 4, 16]},
    "lengths": 5,
    "pairs": {"per_occupation": 9, "per_trait": 3},
}
"""Settings of a world that has every factor, at levels that repeat."""

NAMED: dict[str, Any] = {
    "seed": 4,
    "names": 7,
    "associations": [0.5, 0.9],
    "ratios": [4, 4, 4],
    "both": {"association": 0.8, "ratios": [4, 4]},
    "lengths": 1,
    "pairs": {"per_occupation": 9, "per_trait": 2, "stereo_share": 0.85},
}
"""Settings of a world with names, whose benchmarks are one-sided."""


def settings(**changes: Any) -> dict[str, Any]:
    """The settings of a world as a study has them, with defaults where they are not given."""
    completed: dict[str, Any] = complete({"study": "x", "worlds": {"w": changes}})["worlds"]["w"]
    return completed


def make_world(seed: int = 0, **changes: Any) -> World:
    """A world with the default settings but for those given."""
    return World.from_config("w", settings(seed=seed, **changes))


def by_hand(
    world: World, words: Sequence[str], hidden: Iterable[int], without: frozenset[str] = frozenset()
) -> list[float]:
    """log P(word | visible words) by walking through every sentence of the grammar `without` some words."""
    hidden = list(hidden)
    fitting = [
        s
        for s in world.sentences
        if len(s.words) == len(words)
        and without.isdisjoint(s.words)
        and all(i in hidden or a == b for i, (a, b) in enumerate(zip(s.words, words, strict=True)))
    ]
    total = sum(s.probability for s in fitting)
    return [math.log(sum(s.probability for s in fitting if s.words[i] == words[i]) / total) for i in hidden]


class CutWorld(World):
    """A world of nine sentences, of three tokens or of two; one of its words is split."""

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        return (
            Sentence(("nurse", "she", "."), 0.24),
            Sentence(("nurse", "he", "."), 0.06),
            Sentence(("pilot", "she", "."), 0.03),
            Sentence(("pilot", "he", "."), 0.27),
            Sentence(("very", "tired", "."), 0.1),
            Sentence(("Vandorwick", "."), 0.1),
            Sentence(("very", "she", "."), 0.05),
            Sentence(("tired", "."), 0.09),
            Sentence(("he", "."), 0.06),
        )

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(sorted({word for sentence in self.sentences for word in sentence.words}))

    @cached_property
    def factor_words(self) -> frozenset[str]:
        return frozenset({"nurse", "pilot", "she", "he", "Vandorwick"})


def cut_world() -> CutWorld:
    whole = make_world()
    return CutWorld(**{name: getattr(whole, name) for name in whole.__dataclass_fields__})


def planted_pairs(world: World, counts: Counts) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The pairs of a world's CrowS-Pairs file as PAIRS, and what is planted in each, row by row."""
    planted = crows_pairs(world, counts)
    pairs = pd.DataFrame(
        {
            **dict.fromkeys(PAIRS.names),
            "pair_id": pair.pair_id,
            "bias_type": pair.contrast.bias_type,
            "stereotype": text_of(pair.stereotype),
            "antistereotype": text_of(pair.antistereotype),
            "direction": pair.contrast.direction,
            "target": pair.contrast.target,
        }
        for pair in planted
    )
    return pairs, pd.DataFrame(pair.facts() for pair in planted)
