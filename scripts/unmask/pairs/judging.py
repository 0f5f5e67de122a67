"""Whether measures find what was planted: a judgement on the score of each bias type."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from unmask.errors import InputError
from unmask.pairs.verdicts import CANNOT_TELL, CLEAR, CONTROL
from unmask.report.declared_tables import in_order
from unmask.report.study import ORACLE, Study
from unmask.statistics.decisions import NO_PREFERENCE
from unmask.statistics.ranks import step_down
from unmask.statistics.schema import BIAS_TYPE
from unmask.statistics.sharing import TOLERANCE
from unmask.terms import CORRECTED, ORIGINAL
from unmask.worlds.grammar import ASSOCIATION, BOTH, FREQUENCY

Truth = Mapping[str, Mapping[str, Any]]
"""What is known of the pairs of one benchmark: pair_id -> {factor, p, ratio, direction}."""

NOTHING = "nothing"
"""Neither an association nor a difference in frequency is planted."""

FOUND, RIGHT, MISSED, FOOLED = "found", "right", "missed", "fooled"

PLANTED = (ASSOCIATION, FREQUENCY, BOTH, NOTHING)
"""What may be planted in the pairs of a bias type."""

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
p_holm: the larger of p and null_p after Holm's correction over all judged scores that are testable; null of
others.
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
    pairs = pd.DataFrame(list(map(dict, truth.values())), columns=["bias_type", "p", "ratio"]).astype(
        {"p": float, "ratio": float}
    )
    # a score counts pairs, however strong the association of each
    side = np.sign(pairs["p"] - 0.5).where((pairs["p"] - 0.5).abs() > TOLERANCE, 0)
    facts = (
        pairs.assign(side=side)
        .groupby("bias_type", as_index=False)
        .agg(
            association=("side", "mean"),
            p_low=("p", "min"),
            p_high=("p", "max"),
            ratio_low=("ratio", "min"),
            ratio_high=("ratio", "max"),
        )
    )
    associated, unequal = facts["association"] != 0, facts[["ratio_low", "ratio_high"]].ne(1).any(axis=1)
    names = np.select([associated & unequal, associated, unequal], [BOTH, ASSOCIATION, FREQUENCY], NOTHING)
    return in_order(facts.assign(planted=names), planted=PLANTED)


def judgement(rows: pd.DataFrame) -> "pd.Series[str]":
    """The judgement on each score: of TESTED, CANNOT_TELL or CONTROL.

    rows: with `verdict` (unmask.pairs.verdicts), `score` in percent and `association` (JUDGEMENTS). What is
    explainable by word choice is no clear preference.
    """
    associated, clear = rows["association"] != 0, rows["verdict"] == CLEAR
    right_way = (rows["score"] > NO_PREFERENCE) == (rows["association"] > 0)
    whether = [~clear & ~associated, ~clear, associated & right_way]
    judged = pd.Series(np.select(whether, [RIGHT, MISSED, FOUND], FOOLED), rows.index, dtype="str")
    return judged.where(~rows["verdict"].isin((CANNOT_TELL, CONTROL)), rows["verdict"])


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
    facts = [planted_in(truth).assign(benchmark=name) for name, truth in truths.items()]
    rows = rows[rows["model"].isin(list(models))]
    if rows.empty or not facts:
        return pd.DataFrame(columns=list(JUDGEMENTS))
    known = pd.concat(facts, ignore_index=True)
    rows = rows.merge(known.assign(place=known.index), "left", ["benchmark", "bias_type"], validate="m:1")
    if (unknown := rows["planted"].isna()).any():
        benchmark, bias_type = rows.loc[unknown, ["benchmark", "bias_type"]].iloc[0]
        raise InputError(f"truth: benchmark {benchmark} has no bias type {bias_type}; make its world again")
    rows = rows.merge(exact, "left", keys, validate="m:1")
    rows = rows.assign(judgement=judgement(rows))
    larger = rows[["p", "null_p"]].astype(float).max(axis=1, skipna=False)
    rows = rows.assign(p_holm=step_down(larger.where(rows["judgement"].isin(TESTED)).to_numpy(float)))
    in_their_order: pd.DataFrame = rows.sort_values("place", kind="stable")[list(JUDGEMENTS)]
    return in_their_order.reset_index(drop=True)
