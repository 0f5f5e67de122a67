"""What debiasing leaves of the associations that models have learnt from their world: the table DEBIASED."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from unmask.calibration.population import Observed
from unmask.calibration.schema import DEBIASED, Verdict
from unmask.calibration.slopes import Slope, association_means, least_squares
from unmask.errors import InputError
from unmask.tables import framed
from unmask.terms import CORRECTED, PUBLISHED

CONTROL = "continued"
"""The method that trains on the text as it is, and should change nothing."""

TOLERANCE = 0.1
"""What is left is none where its interval ends within this share of what the origin has learnt."""

TEXT: Mapping[tuple[str, str], float] = {
    **{(method, reading): 1.0 for method in (CONTROL, "dropout") for reading in (CORRECTED, PUBLISHED)},
    ("cda", CORRECTED): 0.0,
}
"""By method and reading: the share of the association in the text that the method trains on, which is what a
perfect student of it has. Other methods train towards something else than a text, or their text has another
association than the world's on a line (cda, published)."""


@dataclass(frozen=True)
class MadeFrom:
    """How a debiased model was made."""

    origin: str
    method: str
    reading: str

    @classmethod
    def from_config(cls, entry: Mapping[str, Any]) -> "MadeFrom":
        return cls(str(entry["from"]), str(entry["method"]), str(entry["reading"]))

    @property
    def goal(self) -> float:
        """The share of the association that should be left."""
        return 1.0 if self.method == CONTROL else 0.0


def debiased_table(
    by_model: Sequence[Observed], how_made: Mapping[str, MadeFrom], confidence: float
) -> pd.DataFrame:
    """A row per debiased model and measure under which its origin has an association, as DEBIASED.

    by_model: each model on all its pairs. how_made: how debiased models were made, by name, in their order;
    one that is not scored, or whose origin is not, is left out. The unit of all intervals is the occupation.
    Raises InputError where a model was scored on other occupations than its origin.
    """
    scored = {observed.member.model: observed for observed in by_model}
    rows: list[dict[str, object]] = []
    for model, how in how_made.items():
        if model in scored and how.origin in scored:
            rows += _rows(scored[how.origin], scored[model], how, confidence)
    return framed(rows, DEBIASED)


def _rows(
    origin: Observed, debiased: Observed, how: MadeFrom, confidence: float
) -> Iterator[dict[str, object]]:
    units, log_odds, before = association_means(origin)
    same, _, after = association_means(debiased)
    if same != units or debiased.measures != origin.measures:
        raise InputError(f"model {debiased.member.model}: not scored on the same pairs as {how.origin}")
    member = debiased.member
    for column, measure in enumerate(origin.measures):
        learnt, kept, change = (
            least_squares(log_odds, margins, confidence)
            for margins in (before[:, column], after[:, column], after[:, column] - before[:, column])
        )
        if learnt is None or kept is None or change is None or learnt.is_none():
            continue
        left, changed = (_shares(slope, learnt.value) for slope in (kept, change))
        yield {
            "model": member.model,
            "architecture": member.architecture,
            "family": member.family,
            **{"origin": how.origin, "method": how.method, "reading": how.reading},
            "measure": measure,
            "occupations": len(units),
            "before": learnt.value,
            "after": kept.value,
            **{"left": left.value, "low": left.low, "high": left.high},
            **{"change_low": changed.low, "change_high": changed.high},
            "goal": how.goal,
            "text": TEXT.get((how.method, how.reading)),
            "verdict": verdict_on(left, changed),
        }


def _shares(slope: Slope, of: float) -> Slope:
    """A slope and its interval as shares of another slope."""
    ends = sorted((slope.low / of, slope.high / of))
    return Slope(slope.value / of, ends[0], ends[1])


def verdict_on(left: Slope, change: Slope) -> str | None:
    """What was done to an association; None without an interval.

    left, change: what is left of it and how much that is more than before, as shares of what there was.
    """
    if not (left.low <= left.high and change.low <= change.high):
        return None
    if left.low >= -TOLERANCE and left.high <= TOLERANCE:
        return Verdict.REMOVED
    if left.high < 0:
        return Verdict.REVERSED
    if left.low <= 0:
        return Verdict.UNCLEAR
    if change.high < 0:
        return Verdict.REDUCED
    return Verdict.LARGER if change.low > 0 else Verdict.UNCHANGED
