"""Scores and margins of each model at each dose of what was planted: the table DOSES."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from unmask.calibration.clustered_test import mean_variance, score_interval
from unmask.calibration.population import EXACT, KEPT, ORACLE, TRAINED, Observed
from unmask.calibration.schema import CELL, DOSES
from unmask.statistics.intervals import Floats, Ints
from unmask.statistics.student import student
from unmask.tables import framed

KNOWS_THE_PLANTED = (ORACLE, EXACT, TRAINED, KEPT)
"""The models that the oracle of their world is the theory of."""

NAN = float("nan")


def dose_response(population: Sequence[Observed], confidence: float) -> pd.DataFrame:
    """A row per model, measure and cell of planted factors, as DOSES.

    population: of each model on all its pairs. The intervals are by units, as clustered_test has them.
    """
    theory: dict[tuple[object, ...], float] = {}
    rows = []
    for observed in population:
        for cell, of_cell in cells(observed):
            codes = unit_codes(of_cell)
            for column, measure in enumerate(of_cell.measures):
                row = {
                    **observed.member.facts(),
                    "measure": measure,
                    **cell,
                    "pairs": len(of_cell.pairs),
                    "units": int(codes.max()) + 1,
                    **_response(of_cell, column, codes, confidence),
                }
                if observed.member.role == ORACLE:
                    theory[_key(row)] = float(row["margin"])
                rows.append(row)
    for row in rows:
        known = row["role"] in KNOWS_THE_PLANTED
        row["theory"] = theory.get(_key(row), NAN) if known else NAN
    return framed(rows, DOSES)


def cells(observed: Observed) -> Iterator[tuple[dict[str, Any], Observed]]:
    """The cells of planted factors, sorted, each with its pairs."""
    grouped = observed.pairs.groupby(CELL, sort=True, dropna=False)
    codes = grouped.ngroup().to_numpy()
    for place in range(len(grouped)):
        of_cell = observed.where(codes == place)
        first = of_cell.pairs.iloc[0]
        yield {key: None if pd.isna(first[key]) else first[key] for key in CELL}, of_cell


def unit_codes(observed: Observed) -> Ints:
    """The number of each pair's unit, by the names of the units that there are."""
    return np.asarray(pd.factorize(observed.pairs["unit"], sort=True)[0], dtype=np.int64)


def score_of(observed: Observed, column: int, confidence: float) -> tuple[float, float, float]:
    """The bias score of one measure with its interval by units, in percent; nan where nothing is decided."""
    inside = observed.trial[:, column]
    return score_interval(observed.credit[inside, column], unit_codes(observed)[inside], confidence)


def _response(of_cell: Observed, column: int, codes: Ints, confidence: float) -> dict[str, float]:
    """Score and mean margin of one measure with their intervals."""
    inside = of_cell.trial[:, column]
    score, low, high = score_interval(of_cell.credit[inside, column], codes[inside], confidence)
    margins = of_cell.margin[inside, column]
    margin, margin_low, margin_high = _mean_interval(margins, codes[inside], confidence)
    scores = {"score": score, "low": low, "high": high}
    return scores | {"margin": margin, "margin_low": margin_low, "margin_high": margin_high}


def _mean_interval(values: Floats, codes: Ints, confidence: float) -> tuple[float, float, float]:
    if not len(values):
        return NAN, NAN, NAN
    variance = mean_variance(values[:, None], codes)
    mean = values.mean(keepdims=True)
    interval = student(mean, variance.clustered, np.full(1, variance.df), confidence)
    return float(mean[0]), float(interval.low[0]), float(interval.high[0])


def _key(row: Mapping[str, Any]) -> tuple[object, ...]:
    """The world, measure and cell that a row is of."""
    return row["family"], row["measure"], *(row[key] for key in CELL)
