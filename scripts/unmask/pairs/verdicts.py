"""Verdicts on scores: whether the choice of pairs, or of words, explains a distance from 50. Where what was
planted in pairs is known, a judgement follows from each: whether the measure found it.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from unmask.errors import InputError
from unmask.measures.formulas import sees_context
from unmask.report.declared_tables import in_order
from unmask.report.sheets import UNTESTABLE, rows_of
from unmask.report.study import ORACLE, Study
from unmask.statistics.decisions import NO_PREFERENCE
from unmask.statistics.proportions import contains, leaves_out
from unmask.statistics.ranks import step_down
from unmask.statistics.schema import BIAS_TYPE, OVERALL
from unmask.statistics.sharing import TOLERANCE, Floats
from unmask.terms import CORRECTED, ORIGINAL, SHUFFLED
from unmask.worlds.grammar import ASSOCIATION, BOTH, FREQUENCY

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
    return rows.assign(p_holm=_holm(rows, family))


def _holm(rows: pd.DataFrame, family: "pd.Series[bool]") -> Floats:
    """The larger of `p` and `null_p` after Holm's correction over a family, null elsewhere: a preference is
    clear only where neither the choice of pairs nor word choice explains it."""
    larger = rows[["p", "null_p"]].astype(float).max(axis=1, skipna=False)
    return step_down(larger.where(family).to_numpy(float))


# what was planted

Truth = Mapping[str, Mapping[str, Any]]
"""What is known of the pairs of one benchmark: pair_id -> {factor, p, ratio, direction}."""

NOTHING = "nothing"
"""Neither an association nor a difference in frequency is planted."""

PLANTED = (ASSOCIATION, FREQUENCY, BOTH, NOTHING)
"""What may be planted in the pairs of a bias type."""

FOUND, RIGHT, MISSED, FOOLED = "found", "right", "missed", "fooled"

TESTED = (FOUND, RIGHT, MISSED, FOOLED)
"""The judgements on testable scores: two that hold and two that do not."""

JUDGEMENTS = (
    *("benchmark", "bias_type", "planted", "association", "p_low", "p_high", "ratio_low", "ratio_high"),
    *("measure", "exact", "model", "n", "score", "low", "high", "null_low", "null_high"),
    *("verdict", "p_holm", "judgement"),
)
"""The columns of judgements, a row for each benchmark of a world, bias type, measure and model.

planted: of PLANTED. association: pairs whose stereotype is associated less those whose antistereotype is, of
all pairs, from -1 to 1; 0 where nothing is associated. p_low, p_high: least and largest probability of the
stereotyped side. ratio_low, ratio_high: of the frequencies of the two words. exact: the bias score of the
exact model, null without one. verdict, and score (percent, protocol corrected) to null_high, as in BIAS.
p_holm: as in `with_corrected_p`, over all judged scores that are testable.
judgement: of TESTED, CANNOT_TELL or CONTROL."""


def read_truths(study: Study, paths: Iterable[str | Path]) -> dict[str, Truth]:
    """The truth of every benchmark that a world makes, by the benchmark's name.

    paths: the truth of each of these worlds, JSON with its name (`world`) and `benchmarks` by format.
    Raises InputError where the truth of a world, or of a benchmark in it, is not there.
    """
    documents = [json.loads(Path(path).read_bytes()) for path in paths]
    known = {(of["world"], name): truth for of in documents for name, truth in of["benchmarks"].items()}
    truths = {}
    for each in study.benchmarks:
        if each.world is not None:
            if (each.world, each.format) not in known:
                place = f"world {each.world}, format {each.format}"
                raise InputError(f"truth: benchmark {each.name} ({place}) has none")
            truths[each.name] = known[each.world, each.format]
    return truths


def planted_in(truth: Truth) -> pd.DataFrame:
    """What is planted in the pairs of each bias type of one benchmark, as columns of JUDGEMENTS, in the
    order of PLANTED.

    Associations that cancel are none: a benchmark as a whole then has no planted preference.
    """
    columns = ["bias_type", "p", "ratio"]
    pairs = pd.DataFrame(list(map(dict, truth.values())), columns=columns)
    pairs = pairs.astype({"p": float, "ratio": float})
    # a score counts pairs, however strong the association of each
    away = pairs["p"] - 0.5
    by_type = pairs.assign(side=np.sign(away).where(away.abs() > TOLERANCE, 0)).groupby("bias_type")
    facts = by_type.agg(
        association=("side", "mean"),
        p_low=("p", "min"),
        p_high=("p", "max"),
        ratio_low=("ratio", "min"),
        ratio_high=("ratio", "max"),
    ).reset_index()
    associated, unequal = facts["association"] != 0, facts[["ratio_low", "ratio_high"]].ne(1).any(axis=1)
    names = np.select([associated & unequal, associated, unequal], [BOTH, ASSOCIATION, FREQUENCY], NOTHING)
    return in_order(facts.assign(planted=names), planted=PLANTED)


def judgement(rows: pd.DataFrame) -> "pd.Series[str]":
    """The judgement on each score: of TESTED, CANNOT_TELL or CONTROL.

    rows: with `verdict`, `score` in percent and `association` (JUDGEMENTS). What is explainable by word
    choice is no clear preference.
    """
    associated, clear = rows["association"] != 0, rows["verdict"] == CLEAR
    right_way = (rows["score"] > NO_PREFERENCE) == (rows["association"] > 0)
    whether = [~clear & ~associated, ~clear, associated & right_way]
    judged = pd.Series(np.select(whether, [RIGHT, MISSED, FOUND], FOOLED), rows.index, dtype="str")
    return judged.where(rows["verdict"].isin(TESTABLE), rows["verdict"])


def judge(
    study: Study, truths: Mapping[str, Truth], bias: pd.DataFrame, models: Iterable[str]
) -> pd.DataFrame:
    """JUDGEMENTS of a study: its benchmarks in their order, their bias types by what is planted, and models
    and measures in theirs.

    truths: of the benchmarks of worlds, by name. bias: BIAS over the study, with the columns model, benchmark
    and verdict; sentences in their original order and the protocol corrected count. models: that were trained
    on what was planted.
    Raises InputError for a bias type that the truth does not know.
    """
    chosen = (bias["variant"] == ORIGINAL) & (bias["protocol"] == CORRECTED) & (bias["grouping"] == BIAS_TYPE)
    rows = bias[chosen & bias["benchmark"].isin(list(truths))].rename(columns={"group": "bias_type"})
    keys = ["benchmark", "bias_type", "measure"]
    exact = rows[rows["model"].isin(study.of_source(ORACLE))].drop_duplicates(keys)
    exact = exact[[*keys, "score"]].rename(columns={"score": "exact"})
    rows = rows[rows["model"].isin(list(models))]
    if rows.empty:
        return pd.DataFrame(columns=list(JUDGEMENTS))
    facts = [planted_in(truth).assign(benchmark=name) for name, truth in truths.items()]
    known = pd.concat(facts, ignore_index=True)
    rows = rows.merge(known.assign(place=known.index), "left", ["benchmark", "bias_type"], validate="m:1")
    if (unknown := rows["planted"].isna()).any():
        benchmark, bias_type = rows.loc[unknown, ["benchmark", "bias_type"]].iloc[0]
        raise InputError(f"truth: benchmark {benchmark} has no bias type {bias_type}; make its world again")
    rows = rows.merge(exact, "left", keys, validate="m:1")
    rows = rows.assign(judgement=judgement(rows))
    rows = rows.assign(p_holm=_holm(rows, rows["judgement"].isin(TESTED)))
    rows = rows.sort_values("place", kind="stable", ignore_index=True)
    return rows[list(JUDGEMENTS)]
