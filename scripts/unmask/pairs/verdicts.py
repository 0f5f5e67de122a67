"""What may be claimed of a score's distance from 50."""

from typing import Any

import pandas as pd

from unmask.measures.registry import sees_context
from unmask.report.sheets import interval, rows_of
from unmask.statistics.neutral import NO_PREFERENCE, contains, leaves_out, neutral_of

__all__ = [
    "BEYOND",
    "CONTROL",
    "NO_PREFERENCE",
    "TESTABLE",
    "UNDECIDED",
    "UNKNOWN",
    "VERDICTS",
    "WITHIN_NOISE",
    "WITHIN_WORDS",
    "apart",
    "can_be_tested",
    "verdicts",
]

WITHIN_NOISE = "within sampling noise"
WITHIN_WORDS = "within what words alone do"
UNDECIDED = "undecided"
BEYOND = "beyond both"
UNKNOWN = "not known"
CONTROL = "a control"

TESTABLE = (WITHIN_NOISE, WITHIN_WORDS, UNDECIDED, BEYOND)
"""The verdicts on scores that can be tested."""

VERDICTS = (*TESTABLE, UNKNOWN, CONTROL)


def verdicts(rows: pd.DataFrame) -> "pd.Series[str]":
    """The verdict on each score of a bias table (unmask.statistics.schema.BIAS), one of VERDICTS.

    A control: the measure sees words alone, so nothing is claimed of it. Not known: the score, its interval
    or its null is missing. Within sampling noise: its interval contains 50 (of a difference, 0).
    Undecided: the draws of the lexical null leave open on which side of an end of its band the score is.
    Within what words alone do: it is in the band. Else beyond both. An end belongs to its interval.
    """
    return pd.Series([_verdict(row) for row in rows_of(rows)], index=rows.index, dtype="str")


def _verdict(row: Any) -> str:
    if not sees_context(str(row.measure)):
        return CONTROL
    if pd.isna([row.score, row.low, row.high, row.null_low, row.null_high]).any():
        return UNKNOWN
    if not leaves_out(row.low, row.high, neutral_of(str(row.grouping))):
        return WITHIN_NOISE
    if row.null_undecided:
        return UNDECIDED
    return WITHIN_WORDS if contains(row.null_low, row.null_high, row.score) else BEYOND


def can_be_tested(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows on which there is a verdict: neither controls nor scores that cannot be tested."""
    return rows[rows["verdict"].isin(TESTABLE)]


def apart(low: float, high: float) -> str:
    """An interval in whole numbers, or with up to three decimals: as many as keep an end that is not 50 from
    reading like 50."""
    off = [end for end in (low, high) if end != NO_PREFERENCE]
    fine = (decimals for decimals in range(3) if NO_PREFERENCE not in [round(end, decimals) for end in off])
    return interval(low, high, next(fine, 3))
