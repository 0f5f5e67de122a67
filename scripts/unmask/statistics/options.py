"""What a study's `statistics` choose; the study's schema has the defaults and checks the values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PAIR, TARGET = "pair", "target"
TOKEN, SENTENCE = "token", "sentence"
ANY, OWN = "any", "own"
MARGIN, ABSOLUTE_MARGIN, DECISION = "margin", "absolute margin", "decision"
PAIR_SCORES = (MARGIN, ABSOLUTE_MARGIN, DECISION)


@dataclass(frozen=True)
class Options:
    """The options of the statistics.

    confidence: level of every interval.
    resamples, seed, unit: of the bootstrap; `unit` is what is drawn, `pair` or `target` (all pairs of a
    target word together, as they are not independent).
    pairing: pairing unit of the McNemar tests of accuracies that tables show, `token` or `sentence`.
    votes, threshold, score: the reading of the human ratings that Figure 1 shows (see
    unmask.statistics.agreement).
    """

    confidence: float
    resamples: int
    seed: int
    unit: str
    pairing: str
    votes: str
    threshold: int
    score: str

    @classmethod
    def from_config(cls, entry: Mapping[str, Any]) -> "Options":
        """From the `statistics` of a complete study, of which `alpha` is for the tables alone."""
        return cls(entry["confidence"], pairing=entry["pairing"], **entry["bootstrap"], **entry["ratings"])
