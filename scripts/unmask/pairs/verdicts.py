"""What may be claimed of a score's distance from 50."""

from typing import Any

import numpy as np
import pandas as pd

from unmask.report.sheets import interval, number
from unmask.statistics.schema import DIFFERENCE

WITHIN_NOISE = "within sampling noise"
WITHIN_WORDS = "within what words alone do"
BEYOND = "beyond both"
UNKNOWN = "not known"
VERDICTS = (WITHIN_NOISE, WITHIN_WORDS, BEYOND, UNKNOWN)

NO_PREFERENCE = 50.0


def verdicts(rows: pd.DataFrame) -> "pd.Series[str]":
    """The verdict on each score of a bias table (unmask.statistics.schema.BIAS), one of VERDICTS.

    Within sampling noise: its interval holds 50 (of a difference, 0). Else within what words alone do: it
    lies in the interval of the lexical null. Else beyond both. Not known: one of the two is missing.
    """
    neutral = np.where(rows["grouping"] == DIFFERENCE, 0.0, NO_PREFERENCE)
    noise = (rows["low"] <= neutral) & (rows["high"] >= neutral)
    words = (rows["null_low"] <= rows["score"]) & (rows["score"] <= rows["null_high"])
    missing: Any = rows[["score", "low", "high", "null_low", "null_high"]].isna().any(axis=1)
    chosen = np.select([missing, noise, words], [UNKNOWN, WITHIN_NOISE, WITHIN_WORDS], BEYOND)
    return pd.Series(chosen, index=rows.index, dtype="str")


def apart(low: float, high: float) -> str:
    """An interval in whole numbers, or with a decimal where rounding would put an end of it on 50."""
    ends = [number(end, 0) for end in (low, high)]
    touches = any(
        end == "50" and value != NO_PREFERENCE for end, value in zip(ends, (low, high), strict=True)
    )
    return interval(low, high, 1 if touches else 0)
