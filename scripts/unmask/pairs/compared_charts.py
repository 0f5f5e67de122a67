"""Charts of models compared with each other."""

from typing import Any

import altair as alt
import pandas as pd

from unmask.measures.registry import title_of
from unmask.report.forms import Axis, Kinds, forest
from unmask.report.panels import by_value, columns_of, ends_of
from unmask.report.sheets import rows_of
from unmask.terms import CORRECTED

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
    rows = by_value(compared[compared["protocol"] == CORRECTED], "measure")
    kinds = [_claim(row, alpha) for row in rows_of(rows)]
    frame = columns_of(
        rows,
        *("first", "first_score", "second_score", "low", "high", "p", "p_holm"),
        panel=rows["measure"].map(title_of),
        name="second",
        value="difference",
        kind=kinds,
        pairs="n",
    )
    tips = (
        ("panel", "measure"),
        ("first", "first"),
        ("first_score", "its score", ".1f"),
        ("name", "second"),
        ("second_score", "its score ", ".1f"),
        ("value", "first less second, points", ".1f"),
        *ends_of(".1f"),
        ("kind", "difference"),
        ("pairs", "pairs", "d"),
    )
    listed = [claim for claim in _CLAIMS if claim != UNKNOWN or claim in kinds]
    axis = Axis("difference, in points", line=0, span=(-5, 5), step=5)
    return forest(frame, axis, tips, kinds=Kinds("kind", "difference", listed, claimed=True))


def _claim(row: Any, alpha: float) -> str:
    if pd.isna(row.p):
        return UNKNOWN
    if row.p_holm < alpha:
        return HELD
    return RAW if row.p < alpha else NOISE
