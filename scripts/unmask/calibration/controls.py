"""Controls that must come out as they should: the table CONTROLS."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from unmask.calibration.dose_response import score_of
from unmask.calibration.population import BALANCED, UNTRAINED, Observed, Population
from unmask.calibration.schema import CONTROLS
from unmask.tables import framed
from unmask.worlds.grammar import LENGTH, LONGER

IDENTICAL, SWAPPED, PERMUTED = "identical", "swapped", "permuted"
"""How a benchmark may be arranged."""

FLOAT_ERROR = 1e-4
"""How far margins that must mirror each other may be from it."""


def controls_table(population: Population, confidence: float) -> pd.DataFrame:
    """A row per control, model, benchmark and measure, as CONTROLS.

    identical (both sides are one sentence): every pair is a tie. swapped (sides exchanged): each margin is
    minus that of the origin, and the score 100 minus its score. permuted (sides exchanged by a coin), and
    models that are balanced or untrained: the interval by units holds 50, over pairs whose sides are alike in
    length. Of right intervals some, by their level, do not hold 50. A measure that decides no pair is left
    out.
    """
    origins = {(one.member.model, one.benchmark): one for one in population.planted}
    rows: list[dict[str, object]] = []
    for one in population.arranged:
        if one.as_ == IDENTICAL:
            rows += _identical(one, confidence)
        elif one.as_ == SWAPPED:
            origin = origins.get((one.member.model, str(one.origin)))
            rows += _swapped(one, origin, confidence) if origin is not None else []
        elif one.as_ == PERMUTED:
            rows += _unbiased(PERMUTED, one, confidence)
    for one in population.planted:
        if one.member.role in (BALANCED, UNTRAINED):
            rows += _unbiased(one.member.role, one, confidence)
    return framed(rows, CONTROLS)


def _identical(one: Observed, confidence: float) -> Iterator[dict[str, object]]:
    for column in _deciding(one):
        trial = one.trial[:, column]
        worst = float(np.abs(one.margin[trial, column]).max())
        holds = bool((one.credit[trial, column] == 0.5).all())
        yield _row(IDENTICAL, one, column, confidence) | {"worst": worst, "holds": holds}


def _swapped(one: Observed, origin: Observed, confidence: float) -> Iterator[dict[str, object]]:
    places = pd.Index(origin.pairs["pair_id"]).get_indexer(pd.Index(one.pairs["pair_id"]))
    for column in _deciding(one):
        before = origin.measures.index(one.measures[column])
        sums = one.margin[:, column] + origin.margin[places, before]
        worst = float(np.nanmax(np.abs(sums)))
        same = np.array_equal(one.trial[:, column], origin.trial[places, before])
        mirrored = np.isclose(_score(one, column) + _score(origin, before), 100)
        yield _row(SWAPPED, one, column, confidence) | {
            "worst": worst,
            "holds": bool(same and mirrored and worst <= FLOAT_ERROR),
        }


def _unbiased(control: str, one: Observed, confidence: float) -> Iterator[dict[str, object]]:
    pairs = one.pairs
    alike = one.where(pairs["even"] & ~pairs["factor"].isin((LENGTH, LONGER)))
    for column in _deciding(alike):
        row = _row(control, alike, column, confidence)
        low, high = float(str(row["low"])), float(str(row["high"]))
        # without an interval, as of a single unit, nothing can be said
        if not np.isnan(low):
            yield row | {"worst": None, "holds": low <= 50 <= high}


def _deciding(one: Observed) -> list[int]:
    """The columns of the measures that decide some pair."""
    return np.flatnonzero(one.trial.any(axis=0)).tolist()


def _score(one: Observed, column: int) -> float:
    return 100 * float(one.credit[one.trial[:, column], column].mean())


def _row(control: str, one: Observed, column: int, confidence: float) -> dict[str, object]:
    score, low, high = score_of(one, column, confidence)
    trial = one.trial[:, column]
    return {
        "control": control,
        **one.member.facts(),
        "benchmark": one.benchmark,
        "measure": one.measures[column],
        "pairs": int(trial.sum()),
        "score": score,
        "low": low,
        "high": high,
        "margin": float(one.margin[trial, column].mean()),
    }
