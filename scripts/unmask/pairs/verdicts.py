"""What may be claimed of a score's distance from 50, and what each verdict means, in words."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from unmask.measures.registry import sees_context
from unmask.report.findings import Finding
from unmask.report.sheets import interval, rows_of
from unmask.statistics.decisions import NO_PREFERENCE, neutral_of
from unmask.statistics.intervals import contains, leaves_out

WITHIN_NOISE = "within sampling noise"
WITHIN_WORDS = "within what words alone do"
UNDECIDED = "undecided"
BEYOND = "beyond both"
UNKNOWN = "not known"
CONTROL = "a control"

TESTABLE = (WITHIN_NOISE, WITHIN_WORDS, UNDECIDED, BEYOND)
"""The verdicts on scores that can be tested."""

VERDICTS = (*TESTABLE, UNKNOWN, CONTROL)

MEANINGS: Mapping[str, str] = {
    WITHIN_NOISE: "That is within sampling noise of 50.",
    WITHIN_WORDS: "That is more than sampling noise, and no more than words alone do.",
    UNDECIDED: "That is more than sampling noise; the draws leave open whether words alone do as much.",
    BEYOND: "Neither sampling noise nor words alone explain that.",
    UNKNOWN: "This score cannot be tested.",
    CONTROL: "The measure sees words alone: it is a control, of which nothing is claimed.",
}
"""What follows a score in words."""

EXPLANATION = (
    "A distance from 50 is within sampling noise where the interval holds 50; within what words alone do "
    "where random scores of words, the same wherever a word stands, come as far; else beyond both. It is "
    "undecided where the score lies so near to an end of the band of words that thousands of draws leave "
    "open on which side. A score without an interval, or without such a band, cannot be tested."
)
"""What the verdicts say, for a reader of the report."""

MARKS: Mapping[str, str] = {BEYOND: " ‡", UNDECIDED: " ?"}
"""Beside scores in tables."""

TERMINAL_MARKS: Mapping[str, str] = {BEYOND: "!", UNDECIDED: "?"}
"""Beside scores in a terminal."""

COUNTED = """
{%- macro testable(counts, whose="") -%}
Of {{ counts.scores | counted("score") }}{{ whose }},
{{ counts.testable }} {{ counts.testable | many("is", "are") }} testable
{%- if counts.unknown %}{{ "," if counts.control else " and" }}
{{ counts.unknown }} {{ counts.unknown | many("is", "are") }} not{% endif %}
{%- if counts.control %} and {{ counts.control }} {{ counts.control | many("is a control", "are controls") }}
{%- endif %}.
{%- endmacro %}
{%- macro by_verdict(counts) -%}
{%- if counts.testable %} Of the {{ counts.testable }} testable,
{{ counts.within_noise }} {{ counts.within_noise | many("is", "are") }} within sampling noise of 50,
{{ counts.within_words }} further away but within what words alone do
{%- if counts.undecided %}, {{ counts.undecided }} undecided{% endif %} and {{ counts.beyond }} beyond both.
{%- endif %}
{%- endmacro %}
"""
"""Macros for templates of findings: how many scores can be tested, and what is claimed of these. counts: of
`verdict_counts`."""


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


def verdict_counts(scores: pd.DataFrame) -> dict[str, int]:
    """How many scores there are, can be tested, and have each verdict."""
    verdict = scores["verdict"]
    return {"scores": len(scores), "testable": len(can_be_tested(scores))} | {
        "within_noise": int((verdict == WITHIN_NOISE).sum()),
        "within_words": int((verdict == WITHIN_WORDS).sum()),
        "undecided": int((verdict == UNDECIDED).sum()),
        "beyond": int((verdict == BEYOND).sum()),
        "unknown": int((verdict == UNKNOWN).sum()),
        "control": int((verdict == CONTROL).sum()),
    }


def how_testable(scores: pd.DataFrame) -> str:
    """How many scores can be tested, and why the others are not, in a sentence."""
    return " ".join(_HOW_TESTABLE.sentences(scores))


_HOW_TESTABLE = Finding[pd.DataFrame](
    "testable", lambda scores: [{"counts": verdict_counts(scores)}], COUNTED + "{{ testable(counts) }}"
)


def interval_off_50(low: float, high: float) -> str:
    """An interval in whole numbers, or with up to three decimals: as many as keep an end that is not 50 from
    reading like 50."""
    ends = [end for end in (low, high) if end != NO_PREFERENCE]
    fine = (decimals for decimals in range(3) if NO_PREFERENCE not in [round(end, decimals) for end in ends])
    return interval(low, high, next(fine, 3))
