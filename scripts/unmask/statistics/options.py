"""What a study's `statistics` choose; the study's schema has the defaults and checks the values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

WORDS, CHARACTERS, TEMPLATE, TARGET, WRITER = "words", "characters", "template", "target", "writer"
"""What two pairs may share and then vary together (unmask.statistics.shared_words)."""
ANY, OWN = "any", "own"
MARGIN, ABSOLUTE_MARGIN, DECISION = "margin", "absolute margin", "decision"
PAIR_SCORES = (MARGIN, ABSOLUTE_MARGIN, DECISION)


@dataclass(frozen=True)
class Options:
    """The options of the statistics.

    confidence: level of every interval.
    clusters: what makes two pairs vary together: WORDS, CHARACTERS, TEMPLATE, TARGET, WRITER, or nothing.
    draws, seed: of the lexical null (unmask.statistics.lexical).
    votes, threshold, score: the reading of the human ratings that Figure 1 shows (see
    unmask.statistics.agreement).
    """

    confidence: float
    clusters: tuple[str, ...]
    draws: int
    seed: int
    votes: str
    threshold: int
    score: str

    @classmethod
    def from_config(cls, entry: Mapping[str, Any]) -> "Options":
        """From the `statistics` of a complete study, of which `alpha` is for the tables alone."""
        return cls(
            entry["confidence"],
            clusters=tuple(entry["clusters"]),
            **entry["chance"],
            **entry["ratings"],
        )
