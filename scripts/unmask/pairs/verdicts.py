"""The verdicts on scores: whether the choice of pairs, or of words, explains a distance from 50."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from unmask.measures.formulas import sees_context
from unmask.report.findings import Finding
from unmask.report.sheets import DASH, UNTESTABLE, number, rows_of
from unmask.statistics.decisions import NO_PREFERENCE
from unmask.statistics.proportions import contains, leaves_out
from unmask.statistics.ranks import step_down
from unmask.statistics.schema import OVERALL
from unmask.statistics.sharing import TOLERANCE
from unmask.terms import CORRECTED, ORIGINAL

NO_CLEAR = "no clear preference"
BY_WORDS = "explainable by word choice"
CLEAR = "clear preference"
CANNOT_TELL = "cannot be told"
CONTROL = "control"

NO_INTERVAL = "no interval"
"""In place of its ends."""

TESTABLE = (NO_CLEAR, BY_WORDS, CLEAR)
"""The verdicts on scores that can be tested."""

VERDICTS = (*TESTABLE, CANNOT_TELL, CONTROL)

IN_EVERY_LEGEND = (NO_CLEAR, BY_WORDS, CLEAR)
"""Verdicts that a legend has though no score has them."""

MEANINGS: Mapping[str, str] = {
    NO_CLEAR: "the interval includes 50.",
    BY_WORDS: "the interval excludes 50, and the score lies in the band of word choice: the scores of a "
    "model that prefers words at random and ignores their meaning.",
    CLEAR: "the interval excludes 50, and the score lies outside the band of word choice.",
    CANNOT_TELL: "there is no interval (too few different words, or all pairs tie), or the interval includes "
    "50 and would even if all pairs were decided alike, or it excludes 50 and there is no band.",
    CONTROL: "the measure sees no context, so its score gets no verdict.",
}
"""What each verdict means."""


MARKS: Mapping[str, str] = {CLEAR: " ‡", CANNOT_TELL: f" {UNTESTABLE}"}
"""Beside scores in tables."""

NARROW_MARKS: Mapping[str, str] = {CLEAR: "!", CANNOT_TELL: UNTESTABLE}
"""The same in a terminal and on the first screen, where a cell has little room."""

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
{{ counts.by_words }} {{ counts.by_words | many("is", "are") }} explainable by word choice and
{{ counts.clear_preference }} {{ counts.clear_preference | many("shows", "show") }} a clear preference.
{%- endif %}
{%- endmacro %}
"""
"""Macros for templates of findings: how many scores can be tested, and their verdicts. counts: of
`verdict_counts`."""


def in_words(names: Collection[str]) -> tuple[str, ...]:
    """What these verdicts mean, each in a sentence for a reader of the report."""
    return tuple(
        f"{verdict.capitalize()}: {meaning}" for verdict, meaning in MEANINGS.items() if verdict in names
    )


def verdicts(rows: pd.DataFrame) -> "pd.Series[str]":
    """The verdict on each score of a bias table (unmask.statistics.schema.BIAS), one of VERDICTS.

    CONTROL: the measure sees no context, so it gets no verdict. CANNOT_TELL: the score or its
    interval is missing, the interval includes 50 and would if all pairs were decided alike, too, or it
    excludes 50 and the null is missing.
    NO_CLEAR: the interval includes 50. BY_WORDS: the score is in the band of word choice. CLEAR: it is
    outside. An end belongs to its interval. For 50 read the row's `neutral`, 0 of most differences.
    """
    return pd.Series([_verdict(row) for row in rows_of(rows)], index=rows.index, dtype="str")


def _verdict(row: Any) -> str:
    if not sees_context(str(row.measure)):
        return CONTROL
    if pd.isna([row.score, row.low, row.high]).any():
        return CANNOT_TELL
    if not leaves_out(row.low, row.high, row.neutral):
        return NO_CLEAR if _could_be_clear(row) else CANNOT_TELL
    if pd.isna([row.null_low, row.null_high]).any():
        return CANNOT_TELL
    return BY_WORDS if contains(row.null_low, row.null_high, row.score) else CLEAR


def _could_be_clear(row: Any) -> bool:
    """Whether some score of these pairs would have an interval without 50; of a difference nobody asks."""
    low = row.unanimous_low
    return bool(pd.isna(low)) or leaves_out(low, 100.0, row.neutral)


def can_be_tested(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows on which there is a verdict: neither controls nor scores that cannot be tested."""
    return rows[rows["verdict"].isin(TESTABLE)]


def with_corrected_p(rows: pd.DataFrame, trained: Collection[str]) -> pd.DataFrame:
    """A bias table with p_holm: the larger of `p` and `null_p` after Holm's correction over all scores that
    have one; null elsewhere.

    These are the testable scores of trained models over all pairs of a benchmark, protocol corrected, of
    sentences in their original order. A preference is clear only where neither the choice of pairs nor word
    choice explains it, so its p is the larger one.
    rows: BIAS over the study, with the columns model and verdict.
    """
    family = (
        rows["verdict"].isin(TESTABLE)
        & rows["model"].isin(trained)
        & (rows["protocol"] == CORRECTED)
        & (rows["grouping"] == OVERALL)
        & (rows["variant"] == ORIGINAL)
    )
    larger = rows[["p", "null_p"]].astype(float).max(axis=1, skipna=False)
    return rows.assign(p_holm=step_down(larger.where(family).to_numpy(float)))


def verdict_counts(scores: pd.DataFrame) -> dict[str, int]:
    """How many scores there are, can be tested, and have each verdict."""
    verdict = scores["verdict"]
    return {"scores": len(scores), "testable": len(can_be_tested(scores))} | {
        "no_clear": int((verdict == NO_CLEAR).sum()),
        "by_words": int((verdict == BY_WORDS).sum()),
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


def _same(one: float | None, other: float | None) -> bool:
    """Are two numbers in percent one but for rounding?"""
    return one is not None and other is not None and abs(one - other) <= 100 * TOLERANCE


MOST_DECIMALS = 3
"""Of the numbers of a score in words."""


def decimals_apart(value: float | None, *numbers: float | None) -> int:
    """To how many decimals numbers are written so that none that is not `value` reads like it; MOST_DECIMALS
    where more would be needed."""
    others = [each for each in numbers if each is not None and not _same(each, value)]
    if value is None:
        return 0
    fine = (
        decimals
        for decimals in range(MOST_DECIMALS)
        if all(round(each, decimals) != round(value, decimals) for each in others)
    )
    return next(fine, MOST_DECIMALS)


def ends_apart(low: float | None, high: float | None, value: float) -> str:
    """The ends of an interval in whole numbers, or with decimals, so that none that is not `value` reads like
    it.

    Where MOST_DECIMALS are too few for that an end is rounded away from the value.
    """
    if low is None or high is None or pd.isna([low, high]).any():
        return NO_INTERVAL
    decimals = decimals_apart(value, low, high)
    step = 10.0**-decimals
    texts = []
    for end in (low, high):
        text = number(end, decimals)
        if not _same(end, value) and text == number(value, decimals):
            text = number(value + math.copysign(step, end - value), decimals)
        texts.append(text)
    return " to ".join(texts)


def ends_beside_50(low: float | None, high: float | None) -> str:
    """The ends of an interval in whole numbers; one that would read like 50 and is not is `<50` or `>50`."""
    if low is None or high is None or pd.isna([low, high]).any():
        return NO_INTERVAL
    whole = number(NO_PREFERENCE, 0)
    texts = []
    for end in (low, high):
        text = number(end, 0)
        beside = text == whole and not _same(end, NO_PREFERENCE)
        texts.append(f"{'<' if end < NO_PREFERENCE else '>'}{text}" if beside else text)
    return " to ".join(texts)


def interval_off_50(low: float, high: float) -> str:
    """An interval in whole numbers, or with as many decimals as keep an end that is not 50 from reading like
    50; a dash where there is none."""
    return ends_apart(low, high, NO_PREFERENCE).replace(NO_INTERVAL, DASH)


@dataclass(frozen=True)
class WrittenScore:
    """The numbers of a score as they are written.

    score: in whole percent, or with as many decimals as keep it from reading like 50, or like an end of its
    band. ends: of its interval, none of which reads like 50 where it is not, or NO_INTERVAL. band: that of
    word choice, or a dash.
    """

    score: str
    ends: str
    band: str

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "WrittenScore":
        """Of a row of a bias table, null as None."""
        score, low, high = row["score"], row["null_low"], row["null_high"]
        decimals = max(decimals_apart(NO_PREFERENCE, score), decimals_apart(score, low, high))
        band = ends_apart(low, high, score).replace(NO_INTERVAL, DASH)
        return cls(number(score, decimals), ends_apart(row["low"], row["high"], NO_PREFERENCE), band)
