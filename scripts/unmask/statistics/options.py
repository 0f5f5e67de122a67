"""The options of the statistics, with their defaults."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unmask.errors import InputError

PAIR, TARGET = "pair", "target"
TOKEN, SENTENCE = "token", "sentence"
ANY, OWN = "any", "own"
MARGIN, ABSOLUTE_MARGIN, DECISION = "margin", "absolute margin", "decision"
PAIR_SCORES = (MARGIN, ABSOLUTE_MARGIN, DECISION)


@dataclass(frozen=True)
class Options:
    """What the config's `statistics` may choose.

    confidence: level of every interval.
    resamples, seed, unit: of the bootstrap; `unit` is what is drawn, `pair` or `target` (all pairs of a
    target word together, as they are not independent).
    pairing: pairing unit of the McNemar tests of accuracies that tables show, `token` or `sentence`.
    votes, threshold, score: the reading of the human ratings that Figure 1 shows (see
    unmask.statistics.agreement).
    """

    confidence: float = 0.95
    resamples: int = 2000
    seed: int = 0
    unit: str = PAIR
    pairing: str = TOKEN
    votes: str = ANY
    threshold: int = 4
    score: str = MARGIN

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise InputError(f"statistics.confidence: {self.confidence} is not between 0 and 1")
        if self.resamples < 1:
            raise InputError(f"statistics.bootstrap.resamples: {self.resamples} is not a positive number")
        for key, value, known in (
            ("bootstrap.unit", self.unit, (PAIR, TARGET)),
            ("pairing", self.pairing, (TOKEN, SENTENCE)),
            ("ratings.votes", self.votes, (ANY, OWN)),
            ("ratings.score", self.score, PAIR_SCORES),
        ):
            if value not in known:
                raise InputError(f"statistics.{key}: {value!r} is not one of {', '.join(known)}")

    @classmethod
    def from_config(cls, entry: Mapping[str, Any]) -> "Options":
        """From the nested mapping of a config: {confidence, bootstrap: {resamples, seed, unit}, pairing,
        ratings: {votes, threshold, score}}; what is absent keeps its default, `alpha` belongs to the tables
        and is passed over.

        Raises InputError for an unknown key or value.
        """
        flat: dict[str, Any] = {}
        allowed = {
            "": ("confidence", "pairing"),
            "bootstrap": ("resamples", "seed", "unit"),
            "ratings": ("votes", "threshold", "score"),
        }
        for key, value in entry.items():
            if key in ("bootstrap", "ratings"):
                for inner, inner_value in value.items():
                    if inner not in allowed[key]:
                        raise InputError(f"statistics.{key}.{inner}: unknown key")
                    flat[inner] = inner_value
            elif key in allowed[""]:
                flat[key] = value
            elif key != "alpha":
                raise InputError(f"statistics.{key}: unknown key")
        return cls(**flat)
