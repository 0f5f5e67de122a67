"""Bias of models as tables: intrinsic, of benchmarks of sentence pairs, and extrinsic, of tasks."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from unmask.benchmarks.schema import PAIRS
from unmask.downstream.terms import ALL_PAIRS, MAIN
from unmask.loading import paths_by
from unmask.measures.schema import read_scores
from unmask.tables import read_table
from unmask.terms import CORRECTED, OUTCOMES, STEREOTYPE, TIE, UNDEFINED

BIAS_SCORES = ["model", "benchmark", "pairs", "measure", "protocol", "score", "n"]
"""The columns of `bias_scores`. pairs: ALL_PAIRS, or the bias type whose pairs alone count; n: how many
do."""


def pairs_of_type(paths: Iterable[str | Path], bias_type: str | None) -> dict[str, set[str]]:
    """The pairs of a bias type by benchmark, without benchmarks that have none. paths: tables of PAIRS."""
    rows = {Path(path).stem: read_table(path, PAIRS) for path in paths if bias_type is not None}
    chosen = {
        name: set(pairs.loc[pairs["bias_type"] == bias_type, "pair_id"]) for name, pairs in rows.items()
    }
    return {name: pairs for name, pairs in chosen.items() if pairs}


def bias_scores(
    paths: Iterable[str | Path],
    measures: Sequence[str],
    pairs: Iterable[str | Path] = (),
    bias_type: str | None = None,
) -> pd.DataFrame:
    """The bias score (percent) of each model, benchmark, measure and protocol, as BIAS_SCORES; a score that a
    model lacks is left out.

    It is the share of pairs in which the stereotype is preferred. Published, ties and undefined pairs count
    as those that are not; corrected, a tie counts half and an undefined pair not at all. paths: tables of
    SCORES; pairs: those of benchmarks. Each score is over all pairs of its benchmark, and once more over
    those of the bias type, where the benchmark has such.
    """
    of_type, parts = pairs_of_type(pairs, bias_type), []
    for (model, benchmark), path in paths_by(paths, "model", "benchmark").items():
        scores = read_scores(path, measures)
        counted = {ALL_PAIRS: scores}
        if benchmark in of_type:
            counted[str(bias_type)] = scores[scores["pair_id"].isin(of_type[benchmark])]
        for name, rows in counted.items():
            rows = rows[rows["measure"].isin(measures)]
            keys = rows[["measure", "protocol"]].astype(str)
            counts = keys.assign(outcome=rows["outcome"].astype(str)).value_counts().unstack(fill_value=0)
            counts = counts.reindex(pd.MultiIndex.from_frame(keys.drop_duplicates()))
            counts = counts.reindex(columns=OUTCOMES, fill_value=0).reset_index()
            half = (counts["protocol"] == CORRECTED) * 0.5
            total = counts[list(OUTCOMES)].sum(axis=1)
            n = total - counts[UNDEFINED] * (counts["protocol"] == CORRECTED)
            score = 100 * (counts[STEREOTYPE] + half * counts[TIE]) / n
            of_model = counts.assign(model=model, benchmark=benchmark, pairs=name, score=score, n=n)
            parts.append(of_model.loc[counts[UNDEFINED] < total, BIAS_SCORES])
    empty = pd.DataFrame(columns=BIAS_SCORES).astype({"score": float, "n": int})
    return pd.concat([empty, *parts], ignore_index=True) if parts else empty


def last_step(scores: pd.DataFrame) -> pd.DataFrame:
    """Of SCORES those of the last step of each model and task."""
    return scores[scores["step"] == scores.groupby(["task", "model"])["step"].transform("max")]


def overall(scores: pd.DataFrame) -> pd.DataFrame:
    """Of SCORES the means over the runs, of all occupations together."""
    return scores[scores["seed"].isna() & scores["group"].isna()]


def main_metrics(scores: pd.DataFrame) -> pd.DataFrame:
    """Of these the main metric of each task."""
    rows = overall(scores)
    return rows[rows["metric"].isin(list(MAIN.values()))]
