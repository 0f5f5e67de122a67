"""The verdicts on scores: whether the choice of pairs, or of words, explains a distance from 50."""

from collections.abc import Collection, Mapping
from typing import Any

import pandas as pd

from unmask.measures.formulas import sees_context
from unmask.report.sheets import UNTESTABLE, rows_of
from unmask.statistics.proportions import contains, leaves_out
from unmask.statistics.ranks import step_down
from unmask.statistics.schema import OVERALL
from unmask.terms import CORRECTED, ORIGINAL, SHUFFLED

NO_CLEAR = "no clear preference"
BY_WORDS = "explainable by word choice"
CLEAR = "clear preference"
CANNOT_TELL = "cannot be told"
CONTROL = "control"

TESTABLE = (NO_CLEAR, BY_WORDS, CLEAR)
"""The verdicts on scores that can be tested."""

VERDICTS = (*TESTABLE, CANNOT_TELL, CONTROL)

MEANINGS: Mapping[str, str] = {
    NO_CLEAR: "the interval includes 50.",
    BY_WORDS: "the interval excludes 50, and the score lies in the band of word choice: the scores of a "
    "model that prefers words at random and ignores their meaning; or the score is as clear, on the same "
    "side, with "
    "the words of each sentence shuffled.",
    CLEAR: "the interval excludes 50, the score lies outside the band of word choice, and it is not as clear "
    "with the words of each sentence shuffled.",
    CANNOT_TELL: "there is no interval (too few different words, or all pairs tie), or the interval includes "
    "50 and would even if all pairs were decided alike, or it excludes 50 and there is no band.",
    CONTROL: "the measure sees no context, so its score gets no verdict.",
}
"""What each verdict means."""


MARKS: Mapping[str, str] = {CLEAR: "!", CANNOT_TELL: UNTESTABLE}
"""Beside scores in tables that have no column for verdicts."""


def verdicts(rows: pd.DataFrame) -> "pd.Series[str]":
    """The verdict on each score of a bias table (unmask.statistics.schema.BIAS), one of VERDICTS.

    CONTROL: the measure sees no context, so it gets no verdict. CANNOT_TELL: the score or its interval is
    missing, the interval includes 50 and would if all pairs were decided alike, too, or it excludes 50 and
    the null is missing. NO_CLEAR: the interval includes 50. BY_WORDS: the score is in the band of word
    choice. CLEAR: it is outside; `with_controls` looks at shuffled words, too. An end belongs to its
    interval. For 50 read the row's `neutral`, 0 of most differences.
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


def with_controls(rows: pd.DataFrame) -> pd.DataFrame:
    """A bias table in which no score is clear whose control is: the same measure prefers the same side as
    clearly where the words of each sentence are shuffled. Word choice explains such a score (BY_WORDS).

    rows: BIAS over the study, with the columns model, benchmark and verdict.
    """
    keys = ["model", "benchmark", "measure", "protocol", "grouping", "group"]
    side = (rows["score"].astype(float) > rows["neutral"]).rename("side")
    places = pd.MultiIndex.from_frame(pd.concat([rows[keys].astype(str), side], axis=1))
    clear, shuffled = rows["verdict"] == CLEAR, rows["variant"] == SHUFFLED
    explained = clear & ~shuffled & places.isin(places[clear & shuffled])
    return rows.assign(verdict=rows["verdict"].mask(explained, BY_WORDS))


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
