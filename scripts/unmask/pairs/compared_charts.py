"""Charts of models compared with each other."""

from typing import Any

import altair as alt
import pandas as pd

from unmask.measures.registry import title_of
from unmask.report.dots import Axis, Kinds, dots
from unmask.report.panels import Row, of_row
from unmask.report.sheets import rows_of
from unmask.terms import CORRECTED

MARGIN = 128
"""Pixels for the names of models."""

NOISE, RAW, HELD, UNKNOWN = (
    "may be noise",
    "only before correction",
    "holds after correction",
    "not tested",
)
"""What may be claimed of a difference."""

_CLAIMS = (NOISE, RAW, HELD, UNKNOWN)


def models(compared: pd.DataFrame, alpha: float) -> alt.FacetChart | None:
    """One model less each of those that it was compared with, on one benchmark: differences of bias scores
    with their intervals, protocol corrected; a panel for each measure.

    compared: COMPARISONS with p_holm, of one benchmark and first model. None where there is nothing.
    """
    found = compared[compared["protocol"] == CORRECTED]
    measures = found["measure"].drop_duplicates()
    rows: list[Row] = [
        {
            "panel": title_of(str(measure)),
            "first": str(row.first),
            "name": str(row.second),
            "first_score": float(row.first_score),
            "second_score": float(row.second_score),
            "value": float(row.difference),
            **of_row(row, "low", "high", "p", "p_holm"),
            "kind": _claim(row, alpha),
            "pairs": int(row.n),
        }
        for measure in measures
        for row in rows_of(found[found["measure"] == measure])
    ]
    tooltips = {
        "panel": "measure",
        "first": "first",
        "first_score": "its score",
        "name": "second",
        "second_score": "its score ",
        "value": "first less second, points",
        "low": "interval from",
        "high": "interval to",
        "kind": "difference",
        "pairs": "pairs",
    }
    axis = Axis("difference, in points", (-5, 5), 0, 5, ".1f")
    claims = [claim for claim in _CLAIMS if claim != UNKNOWN or any(row["kind"] == UNKNOWN for row in rows)]
    kinds = Kinds("difference", claims, apart=False, claimed=True)
    return dots(rows, axis, tooltips, kinds, margin=MARGIN)


def _claim(row: Any, alpha: float) -> str:
    if pd.isna(row.p):
        return UNKNOWN
    if row.p_holm < alpha:
        return HELD
    return RAW if row.p < alpha else NOISE
