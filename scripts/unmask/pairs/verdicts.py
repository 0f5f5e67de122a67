"""Verdicts on scores: whether the choice of pairs, or of words, explains a distance from 50."""

from collections.abc import Collection, Mapping
from typing import Any

import pandas as pd

from unmask.measures.formulas import sees_context
from unmask.report.tables import rows_of
from unmask.report.wording import UNTESTABLE
from unmask.statistics.schema import OVERALL
from unmask.statistics.uncertainty import Floats, contains, leaves_out, step_down
from unmask.terms import CORRECTED, ORIGINAL, SHUFFLED

NO_CLEAR = "no clear preference"
BY_WORDS = "explainable by word choice"
CLEAR = "clear preference"
CANNOT_TELL = "cannot be told"
CONTROL = "control"

TESTABLE = (NO_CLEAR, BY_WORDS, CLEAR)
"""The verdicts on scores that can be tested."""

VERDICTS = (*TESTABLE, CANNOT_TELL, CONTROL)
"""In the order of their colours and shapes."""

MEANINGS: Mapping[str, str] = {
    NO_CLEAR: "the interval includes 50.",
    BY_WORDS: "the interval excludes 50, and the score lies in the band of word choice: the scores of a "
    "model that prefers words at random and ignores their meaning; or the score is as clear, on the same "
    "side, with the words of each sentence shuffled.",
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
    """The verdict on each score of a bias table (unmask.statistics.schema.BIAS), as MEANINGS has them.

    An end belongs to its interval. For 50 read the row's `neutral`, 0 of most differences. Shuffled words
    count in `with_controls` alone.
    """
    return pd.Series([_verdict(row) for row in rows_of(rows)], index=rows.index, dtype="str")


def _verdict(row: Any) -> str:
    if not sees_context(str(row.measure)):
        return CONTROL
    if pd.isna([row.score, row.low, row.high]).any():
        return CANNOT_TELL
    if not leaves_out(row.low, row.high, row.neutral):
        # of a difference nobody asks what the interval would be if all pairs were decided alike
        alike = row.unanimous_low
        return NO_CLEAR if pd.isna(alike) or leaves_out(alike, 100.0, row.neutral) else CANNOT_TELL
    if pd.isna([row.null_low, row.null_high]).any():
        return CANNOT_TELL
    return BY_WORDS if contains(row.null_low, row.null_high, row.score) else CLEAR


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
    """A bias table with p_holm, after Holm's correction over the testable scores of trained models over all
    pairs of a benchmark, protocol corrected, of sentences in their original order; null of others.

    rows: BIAS over the study, with the columns model and verdict.
    """
    family = (
        rows["verdict"].isin(TESTABLE)
        & rows["model"].isin(trained)
        & (rows["protocol"] == CORRECTED)
        & (rows["grouping"] == OVERALL)
        & (rows["variant"] == ORIGINAL)
    )
    return rows.assign(p_holm=holm_of_larger(rows, family))


def holm_of_larger(rows: pd.DataFrame, family: "pd.Series[bool]") -> Floats:
    """The larger of `p` and `null_p` after Holm's correction over a family, null elsewhere: a preference is
    clear only where neither the choice of pairs nor word choice explains it."""
    larger = rows[["p", "null_p"]].astype(float).max(axis=1, skipna=False)
    return step_down(larger.where(family).to_numpy(float))
