"""Bias of models as tables: intrinsic, of benchmarks of sentence pairs, and extrinsic, of tasks."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from unmask.downstream.terms import MAIN
from unmask.statistics.schema import BIAS, BIAS_TYPE, OVERALL
from unmask.study_results import load_tables
from unmask.terms import CORRECTED, ORIGINAL


def intrinsic_scores(
    paths: Iterable[str | Path], measures: Sequence[str], bias_type: str | None
) -> pd.DataFrame:
    """The bias scores (percent) of models on benchmarks, over all pairs and over those of the bias type.

    paths: tables of unmask.statistics.schema.BIAS. Columns: model, benchmark, pairs (ALL_PAIRS, or the bias
    type), measure, protocol, score, low, high, and n, the pairs that the score counts: corrected, an
    undefined one is none. A score that a model lacks is left out.
    """
    rows = load_tables(paths, BIAS, "model", "benchmark")
    wanted = (rows["grouping"] == OVERALL) | (rows["grouping"] == BIAS_TYPE) & (rows["group"] == bias_type)
    rows = rows[wanted & (rows["variant"] == ORIGINAL) & rows["measure"].isin(measures)]
    rows = rows.assign(pairs=rows["group"], n=rows["n"] - rows["undefined"] * (rows["protocol"] == CORRECTED))
    columns = ["model", "benchmark", "pairs", "measure", "protocol", "score", "low", "high", "n"]
    return rows.dropna(subset="score")[columns]


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
