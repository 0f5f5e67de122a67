"""Whether measures find what was planted: a judgement on the score of each bias type."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from unmask.errors import InputError
from unmask.pairs.schema import JUDGEMENTS
from unmask.pairs.verdicts import CANNOT_TELL, CLEAR, CONTROL
from unmask.report.sheets import rows_of
from unmask.report.study import ORACLE, Study
from unmask.report.truths import Truth
from unmask.statistics.decisions import NO_PREFERENCE
from unmask.statistics.ranks import step_down
from unmask.statistics.schema import BIAS_TYPE
from unmask.statistics.sharing import TOLERANCE
from unmask.terms import CORRECTED, ORIGINAL
from unmask.worlds.grammar import ASSOCIATION, BOTH, FREQUENCY

NOTHING = "nothing"
"""Neither an association nor a difference in frequency is planted."""

FOUND, RIGHT, MISSED, FOOLED = "found", "right", "missed", "fooled"

PLANTED = (ASSOCIATION, FREQUENCY, BOTH, NOTHING)
"""What may be planted in the pairs of a bias type."""

TESTED = (FOUND, RIGHT, MISSED, FOOLED)
"""The judgements on testable scores: two that hold and two that do not."""

_FACTS = ("planted", "association", "p_low", "p_high", "ratio_low", "ratio_high")
"""The columns of JUDGEMENTS that say what is planted."""

MEANINGS: Mapping[str, str] = {
    FOUND: "Found: a clear preference in the direction of the planted association.",
    MISSED: "Missed: an association was planted, and there is no clear preference.",
    FOOLED: "Fooled: a clear preference where nothing is associated, or against the association. Where the "
    "exact model has the same score, the measure errs and not the model.",
    RIGHT: "Right: nothing is associated, and there is no clear preference.",
    CANNOT_TELL: "Cannot be told: there is no interval (too few different words, or all pairs tie), or there "
    "would be no clear preference even if all these pairs were decided alike, or the interval excludes 50 "
    "and there is no band.",
}
"""What each judgement says, in a sentence."""


def judgement(verdict: str, score: float, association: float) -> str:
    """The judgement on a score, one of EVERY_JUDGEMENT.

    verdict: on the score, of unmask.pairs.verdicts. score: percent. association: see JUDGEMENTS; 0 where
    nothing is associated. What is explainable by word choice is no clear preference.
    """
    if verdict in (CANNOT_TELL, CONTROL):
        return verdict
    associated, clear = association != 0, verdict == CLEAR
    if not associated:
        return FOOLED if clear else RIGHT
    if not clear:
        return MISSED
    return FOUND if (score > NO_PREFERENCE) == (association > 0) else FOOLED


def planted_in(truth: Truth) -> dict[str, dict[str, Any]]:
    """What is planted in the pairs of each bias type of one benchmark, as columns of JUDGEMENTS.

    Associations that cancel are none: a benchmark as a whole then has no planted preference.
    """
    facts: dict[str, list[Mapping[str, Any]]] = {}
    for pair in truth.values():
        facts.setdefault(str(pair["bias_type"]), []).append(pair)
    return {bias_type: _planted(pairs) for bias_type, pairs in facts.items()}


def _planted(pairs: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    probabilities, ratios = zip(*((float(pair["p"]), float(pair["ratio"])) for pair in pairs), strict=True)
    # a score counts pairs, however strong the association of each
    sides = [0 if abs(p - 0.5) <= TOLERANCE else 1 if p > 0.5 else -1 for p in probabilities]
    associated, unequal = sum(sides) != 0, any(ratio != 1 for ratio in ratios)
    names = {(True, True): BOTH, (True, False): ASSOCIATION, (False, True): FREQUENCY}
    return {
        "planted": names.get((associated, unequal), NOTHING),
        "association": sum(sides) / len(sides),
        "p_low": min(probabilities),
        "p_high": max(probabilities),
        "ratio_low": min(ratios),
        "ratio_high": max(ratios),
    }


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
    rows = rows[rows["model"].isin(list(models))]
    facts = _facts(truths)
    rows = rows.merge(facts, "left", ["benchmark", "bias_type"], validate="many_to_one")
    if (unknown := rows["planted"].isna()).any():
        benchmark, bias_type = rows.loc[unknown, ["benchmark", "bias_type"]].iloc[0]
        raise InputError(f"truth: benchmark {benchmark} has no bias type {bias_type}; make its world again")
    rows = rows.merge(
        exact[[*keys, "score"]].rename(columns={"score": "exact"}), "left", keys, validate="many_to_one"
    )
    rows = rows.assign(
        judgement=[judgement(row.verdict, row.score, row.association) for row in rows_of(rows)]
    )
    larger = rows[["p", "null_p"]].astype(float).max(axis=1, skipna=False)
    rows = rows.assign(p_holm=step_down(larger.where(rows["judgement"].isin(TESTED)).to_numpy(float)))
    places = pd.MultiIndex.from_frame(facts[["benchmark", "bias_type"]])
    at = places.get_indexer(pd.MultiIndex.from_frame(rows[["benchmark", "bias_type"]]))
    in_order: pd.DataFrame = rows.take(at.argsort(kind="stable"))[JUDGEMENTS.names].reset_index(drop=True)
    return in_order


def _facts(truths: Mapping[str, Truth]) -> pd.DataFrame:
    """What is planted in the bias types of benchmarks, those of one in the order of PLANTED."""
    rows = [
        {"benchmark": benchmark, "bias_type": bias_type, **planted}
        for benchmark, truth in truths.items()
        for bias_type, planted in sorted(
            planted_in(truth).items(), key=lambda item: (PLANTED.index(item[1]["planted"]), item[0])
        )
    ]
    return pd.DataFrame(rows, columns=["benchmark", "bias_type", *_FACTS])
