"""Bias of models as tables: intrinsic, of benchmarks of sentence pairs, and extrinsic, of tasks."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from unmask.benchmarks.schema import PAIRS
from unmask.downstream.terms import ALL_PAIRS, MAIN
from unmask.measures.schema import read_scores
from unmask.statistics.decisions import of_bias_type, of_pairs
from unmask.study_results import paths_by
from unmask.tables import read_table
from unmask.terms import CORRECTED, STEREOTYPE, TIE, UNDEFINED

KEYS = ["measure", "protocol"]
BIAS_SCORES = ["model", "benchmark", "pairs", "measure", "protocol", "score", "n"]
"""The columns of `bias_scores`. pairs: ALL_PAIRS, or the bias type whose pairs alone count; n: how many
do."""


def pairs_of_type(paths: Iterable[str | Path], bias_type: str | None) -> dict[str, pd.DataFrame]:
    """The pairs of a bias type by benchmark, without benchmarks that have none. paths: tables of PAIRS."""
    chosen = {Path(path).stem: of_bias_type(read_table(path, PAIRS), bias_type) for path in paths}
    return {name: pairs for name, (pairs, there) in chosen.items() if there is not None}


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
        scores = scores[scores["measure"].isin(measures)].astype(dict.fromkeys(KEYS, str))
        counted = {ALL_PAIRS: scores}
        if benchmark in of_type:
            counted[str(bias_type)] = of_pairs(of_type[benchmark], scores)
        for name, rows in counted.items():
            outcome, is_corrected = rows["outcome"].astype(str), rows["protocol"] == CORRECTED
            defined = outcome != UNDEFINED
            credit = 100.0 * (outcome == STEREOTYPE) + 50.0 * ((outcome == TIE) & is_corrected)
            by_score = rows[KEYS].assign(credit=credit.where(defined | ~is_corrected), defined=defined)
            by_score = by_score.groupby(KEYS, sort=False).agg(
                score=("credit", "mean"), n=("credit", "count"), defined=("defined", "any")
            )
            of_model = by_score[by_score["defined"]].reset_index()
            parts.append(of_model.assign(model=model, benchmark=benchmark, pairs=name)[BIAS_SCORES])
    empty = pd.DataFrame(columns=BIAS_SCORES).astype({"score": float, "n": int})
    return pd.concat(parts, ignore_index=True) if parts else empty


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
