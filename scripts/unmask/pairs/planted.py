"""What is planted in a world, and whether measures find it: the judgement on each score, how many there are
of each measure, and the answer of a study of worlds."""

from collections.abc import Iterator
from functools import cache

import altair as alt
import numpy as np
import pandas as pd

from unmask.errors import InputError
from unmask.measures.formulas import title_of
from unmask.pairs.charts import ON, TITLE
from unmask.pairs.results import (
    BY_WORDS,
    CANNOT_TELL,
    CLEAR,
    CONTROL,
    TESTABLE,
    PairResults,
    Truth,
    holm_of_larger,
)
from unmask.report.forms import Axis, Beside, Grid, Kinds, forest
from unmask.report.presenting import Topic
from unmask.report.study_results import ORACLE
from unmask.report.tables import Column, Table, columns_of, in_order, rows_of
from unmask.report.wording import counted, listed, many
from unmask.statistics.schema import BIAS_TYPE, NO_PREFERENCE
from unmask.statistics.uncertainty import TOLERANCE
from unmask.terms import CORRECTED
from unmask.worlds.grammar import ASSOCIATION, BOTH, FREQUENCY

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


def planted_in(truth: Truth) -> pd.DataFrame:
    """What is planted in the pairs of each bias type of one benchmark, as columns of JUDGEMENTS, in the
    order of PLANTED.

    Associations that cancel are none: a benchmark as a whole then has no planted preference.
    """
    pairs = pd.DataFrame(list(map(dict, truth.values())), columns=["bias_type", "p", "ratio"])
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


@cache
def judgements(results: PairResults, exact: bool = False) -> pd.DataFrame:
    """JUDGEMENTS on the scores of models that were trained on what was planted, or of exact models.

    Benchmarks, models and measures are in the study's order, bias types by what is planted. Scores of the
    protocol corrected count alone. Raises InputError for a bias type that a truth lacks.
    """
    rows = results.original[results.original["benchmark"].isin(list(results.truths))]
    rows = rows[(rows["protocol"] == CORRECTED) & (rows["grouping"] == BIAS_TYPE)]
    rows = rows.rename(columns={"group": "bias_type"})
    keys, oracles = ["benchmark", "bias_type", "measure"], results.study.of_source(ORACLE)
    of_exact = rows[rows["model"].isin(oracles)].drop_duplicates(keys)
    of_exact = of_exact[[*keys, "score"]].rename(columns={"score": "exact"})
    rows = rows[rows["model"].isin(oracles if exact else results.settings.get("judged", []))]
    if rows.empty:
        return pd.DataFrame(columns=list(JUDGEMENTS))
    facts = [planted_in(truth).assign(benchmark=name) for name, truth in results.truths.items()]
    known = pd.concat(facts, ignore_index=True)
    rows = rows.merge(known.assign(place=known.index), "left", ["benchmark", "bias_type"], validate="m:1")
    if (unknown := rows["planted"].isna()).any():
        benchmark, bias_type = rows.loc[unknown, ["benchmark", "bias_type"]].iloc[0]
        raise InputError(f"truth: benchmark {benchmark} has no bias type {bias_type}; make its world again")
    rows = rows.merge(of_exact, "left", keys, validate="m:1")
    rows = rows.assign(judgement=judgement(rows))
    rows = rows.assign(p_holm=holm_of_larger(rows, rows["judgement"].isin(TESTED)))
    rows = rows.sort_values("place", kind="stable", ignore_index=True)
    return rows[list(JUDGEMENTS)]


# what is shown of it

NAMED = 6
"""So many models are named above a chart."""

_LOOKS = (RIGHT, BY_WORDS, FOOLED, CANNOT_TELL, CONTROL, FOUND, MISSED)
"""Judgements in the order of colours and shapes, with the verdicts among which they stand: right looks like
no clear preference, fooled like a clear one."""

_TRAINED, _HOLM, _EXACT = "trained models", "after Holm's correction", "exact model"
_OF_EXACT = ["found", "lost", "false", "planted", "not_planted"]

BY_MEASURE = Table(
    "planted_by_measure",
    ["title"],
    [
        Column("found", "{found} of {planted}", _TRAINED),
        Column("reversed or missed", "{lost}", _TRAINED),
        Column("false", "{false} of {not_planted}", _TRAINED),
        Column("found", "{found_holm} of {planted}", _HOLM),
        Column("reversed or false", "{fooled_holm}", _HOLM),
        Column("found", "[{exact_found:.0f} of {exact_planted:.0f}]", _EXACT),
        Column("reversed or missed", "[{exact_lost:.0f}]", _EXACT),
        Column("false", "[{exact_false:.0f} of {exact_not_planted:.0f}]", _EXACT),
    ],
    heads={"title": "measure"},
)


def counts(scores: pd.DataFrame, level: float) -> pd.DataFrame:
    """How many judged scores of each measure are which. level: below which p_holm counts as clear.

    planted, not_planted: testable ones with and without an association; found; lost: missed or reversed;
    false: fooled without one; of_frequency: fooled by frequency alone; …_holm: after correction.
    """
    found, wrong = scores["judgement"] == FOUND, scores["judgement"] == FOOLED
    is_planted, is_tested = scores["association"] != 0, scores["judgement"].isin(TESTED)
    holds = scores["p_holm"].astype(float) < level - TOLERANCE
    which = {
        "planted": is_planted & is_tested,
        "not_planted": ~is_planted & is_tested,
        "found": found,
        "lost": is_planted & is_tested & ~found,
        "false": wrong & ~is_planted,
        "of_frequency": wrong & (scores["planted"] == FREQUENCY),
        "found_holm": holds & found,
        "fooled_holm": holds & wrong,
    }
    return pd.DataFrame(which).groupby(scores["measure"].astype(str), sort=False).sum()


def by_measure(results: PairResults) -> pd.DataFrame:
    """How many scores of each measure are judged which, and of the exact model's; none of controls."""
    scores, exact = judgements(results), counts(judgements(results, exact=True), results.level)[_OF_EXACT]
    rows = counts(scores[scores["judgement"] != CONTROL], results.level)
    return rows.join(exact.add_prefix("exact_")).assign(title=list(map(title_of, rows.index)))


def title(results: PairResults) -> str:
    """Which measures found what was planted and nothing else, and which word frequency fooled."""
    rows = by_measure(results)
    testable, wrong = rows["planted"] + rows["not_planted"], rows["lost"] + rows["false"]
    right = rows.loc[(testable > 0) & (wrong == 0), "title"]
    who = "no measure finds"
    if len(right):
        only = f"only {listed(right)} {many(right, 'finds', 'find')}"
        who = only if len(right) < len(rows) else "every measure finds"
    fooled = rows.loc[rows["of_frequency"] > 0, "title"]
    takes = f"; {listed(fooled)} {many(fooled, 'takes', 'take')} frequency for bias" if len(fooled) else ""
    return f"In a world of known biases, before correction, {who} all testable biases and no others{takes}"


def answers(results: PairResults) -> Iterator[tuple[str, str]]:
    """What was planted, whether measures or models err, and what remains after Holm's correction."""
    scores = judgements(results)
    tested = scores[scores["judgement"].isin(TESTED)]
    kinds, models = tested.drop_duplicates(["benchmark", "bias_type"]), tested["model"].unique()
    with_bias = int((kinds["association"] != 0).sum())
    yield (
        "What is this?",
        f"A test: {listed(models, NAMED)} {many(models, 'was', 'were')} trained on a synthetic world. A "
        f"bias is planted in {with_bias} of {len(kinds)} groups of pairs; measures should find these alone.",
    )
    rows = by_measure(results)
    erring = rows.loc[rows["exact_lost"] + rows["exact_false"] > 0, "title"]
    if len(erring):
        yield (
            "Measure or model?",
            f"The exact model ({listed(results.study.of_source(ORACLE))}) has the true probabilities. By "
            f"{listed(erring)} some of its scores are wrong, too: there the measure errs, not the model.",
        )
    found, fooled = rows["found"].sum(), rows["fooled_holm"].sum()
    is_alike = len(rows) > 1 and len(rows.drop_duplicates(["found_holm", "fooled_holm"])) == 1
    untestable = int((scores["judgement"] == CANNOT_TELL).sum())
    yield (
        "Does it hold?",
        f"These counts are before correction. After Holm's correction, {rows['found_holm'].sum()} of {found} "
        f"scores judged found and {fooled or 'none'} of {(scores['judgement'] == FOOLED).sum()} false "
        f"or reversed ones remain{', alike for all measures' if is_alike else ''}."
        + (f" {counted(untestable, 'score')} more cannot be tested." if untestable else ""),
    )


def judged_chart(rows: pd.DataFrame) -> alt.FacetChart | None:
    """Bias scores by what was planted, coloured by judgement, before the score of the exact model; a panel
    for each measure, of several benchmarks for each of both, controls last. rows: JUDGEMENTS."""
    rows = rows[rows["score"].notna()].sort_values(
        "judgement", key=lambda names: names == CONTROL, kind="stable"
    )
    panel = rows["measure"].map(title_of)
    frame = columns_of(
        rows,
        *("model", "bias_type", "score", "low", "high", "exact", "verdict", "judgement"),
        panel=panel + ON + rows["benchmark"] if rows["benchmark"].nunique() > 1 else panel,
        name=[f"{row.planted} ({row.bias_type})" for row in rows_of(rows)],
        words_low="null_low",
        words_high="null_high",
        pairs="n",
    )
    there = {*rows["judgement"], *TESTED}
    listed_ones = [each for each in (*TESTED, CANNOT_TELL, CONTROL) if each in there]
    models = rows["model"].unique()
    of = f"in each row from above: {listed(models, NAMED)}" if len(models) > 1 else str(models[0])
    tick = "tick: exact model; " if rows["exact"].notna().any() else ""
    subtitle = [of, f"{tick}line: 50, no preference", "band: word choice alone"]
    return forest(
        frame,
        Axis(None, line=NO_PREFERENCE, span=(0, 100), ticks=[0, 50, 100]),
        value="score",
        kinds=Kinds("judgement", "judgement", _LOOKS, claimed=True, listed=listed_ones),
        apart="model",
        broad=("words_low", "words_high"),
        beside=[Beside("exact", "tick", "truth")],
        grid=Grid(4, width=220, between=ON, title=TITLE, subtitle=subtitle),
    )


TOPIC = Topic[PairResults](
    "planted",
    "What was planted, and found",
    judgements,
    chart=judged_chart,
    each=("benchmark",),
)
