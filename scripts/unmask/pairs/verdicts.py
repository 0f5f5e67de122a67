"""The verdicts on scores: whether the choice of pairs, or of words, explains a distance from 50."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from unmask.measures.registry import sees_context
from unmask.report.findings import Finding
from unmask.report.sheets import interval, rows_of
from unmask.statistics.decisions import NO_PREFERENCE, neutral_of
from unmask.statistics.intervals import contains, leaves_out

NO_CLEAR = "no clear preference"
BY_WORDS = "explainable by word choice"
UNDECIDED = "undecided"
CLEAR = "clear preference"
CANNOT_TELL = "cannot be told"
CONTROL = "control"

TESTABLE = (NO_CLEAR, BY_WORDS, UNDECIDED, CLEAR)
"""The verdicts on scores that can be tested."""

VERDICTS = (*TESTABLE, CANNOT_TELL, CONTROL)

MEANINGS: Mapping[str, str] = {
    NO_CLEAR: "No clear preference: the interval includes 50.",
    BY_WORDS: "Explainable by word choice: fixed random word scores give such a score, too.",
    UNDECIDED: "Undecided: the draws of random word scores leave open whether word choice explains it.",
    CLEAR: "Clear preference: neither the choice of pairs nor word choice explains it.",
    CANNOT_TELL: "Cannot be told: there is no interval, as with too few different words, or no band.",
    CONTROL: "Control: the measure hides every token, so its score gets no verdict.",
}
"""What follows a score in words: its verdict, and why."""

EXPLANATION = (
    "No clear preference: the interval includes 50. "
    "Explainable by word choice: the interval excludes 50, and the score lies in the band that fixed random "
    "word scores give. "
    "Clear preference: the interval excludes 50, and the score lies outside that band. "
    "Undecided: the interval excludes 50, and the score lies so close to an end of the band that its draws "
    "do not tell on which side. "
    "Cannot be told: there is no interval, as with too few different words, or no band."
)
"""What each verdict says, in one sentence, for a reader of the report."""

MARKS: Mapping[str, str] = {CLEAR: " ‡", UNDECIDED: " ?"}
"""Beside scores in tables."""

TERMINAL_MARKS: Mapping[str, str] = {CLEAR: "!", UNDECIDED: "?"}
"""Beside scores in a terminal."""

COUNTED = """
{%- macro testable(counts, whose="") -%}
Of {{ counts.scores | counted("score") }}{{ whose }},
{{ counts.testable }} {{ counts.testable | many("is", "are") }} testable
{%- if counts.cannot_tell %}{{ "," if counts.control else " and" }}
{{ counts.cannot_tell }} {{ counts.cannot_tell | many("is", "are") }} not{% endif %}
{%- if counts.control %} and {{ counts.control }} {{ counts.control | many("is a control", "are controls") }}
{%- endif %}.
{%- endmacro %}
{%- macro by_verdict(counts) -%}
{%- if counts.testable %} Of the {{ counts.testable }} testable,
{{ counts.no_clear }} {{ counts.no_clear | many("shows", "show") }} no clear preference,
{{ counts.by_words }} {{ counts.by_words | many("is", "are") }} explainable by word choice
{%- if counts.undecided %}, {{ counts.undecided }} {{ counts.undecided | many("is", "are") }} undecided
{%- endif %} and {{ counts.clear_preference }}
{{ counts.clear_preference | many("shows", "show") }} a clear preference.
{%- endif %}
{%- endmacro %}
"""
"""Macros for templates of findings: how many scores can be tested, and their verdicts. counts: of
`verdict_counts`."""


def verdicts(rows: pd.DataFrame) -> "pd.Series[str]":
    """The verdict on each score of a bias table (unmask.statistics.schema.BIAS), one of VERDICTS.

    CONTROL: the measure hides every token, so it gets no verdict. CANNOT_TELL: the score, its interval or its
    null is missing. NO_CLEAR: the interval includes 50 (of a difference, 0). UNDECIDED: the draws of the
    lexical null leave open on which side of an end of its band the score is. BY_WORDS: the score is in the
    band. CLEAR: it is outside. An end belongs to its interval.
    """
    return pd.Series([_verdict(row) for row in rows_of(rows)], index=rows.index, dtype="str")


def _verdict(row: Any) -> str:
    if not sees_context(str(row.measure)):
        return CONTROL
    if pd.isna([row.score, row.low, row.high, row.null_low, row.null_high]).any():
        return CANNOT_TELL
    if not leaves_out(row.low, row.high, neutral_of(str(row.grouping))):
        return NO_CLEAR
    if row.null_undecided:
        return UNDECIDED
    return BY_WORDS if contains(row.null_low, row.null_high, row.score) else CLEAR


def can_be_tested(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows on which there is a verdict: neither controls nor scores that cannot be tested."""
    return rows[rows["verdict"].isin(TESTABLE)]


def verdict_counts(scores: pd.DataFrame) -> dict[str, int]:
    """How many scores there are, can be tested, and have each verdict."""
    verdict = scores["verdict"]
    return {"scores": len(scores), "testable": len(can_be_tested(scores))} | {
        "no_clear": int((verdict == NO_CLEAR).sum()),
        "by_words": int((verdict == BY_WORDS).sum()),
        "undecided": int((verdict == UNDECIDED).sum()),
        "clear_preference": int((verdict == CLEAR).sum()),
        "cannot_tell": int((verdict == CANNOT_TELL).sum()),
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
