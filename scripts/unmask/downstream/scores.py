"""Bias of models as tables: bias scores on benchmarks, and bias in use of all models and tasks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from unmask.benchmarks.schema import PAIRS
from unmask.downstream.schema import SCORES
from unmask.downstream.terms import ALL_PAIRS, MAIN
from unmask.loading import Order, facts_by, load_tables, paths_by
from unmask.measures.reading import read_scores
from unmask.statistics.decisions import decisions, of_bias_type, of_pairs
from unmask.tables import read_table

COLUMNS = ["model", "benchmark", "pairs", "measure", "protocol", "score", "n"]
"""Of bias scores. pairs: ALL_PAIRS, or the bias type whose pairs alone count; n: how many pairs count."""


def bias_scores(
    paths: Iterable[str | Path],
    measures: Sequence[str],
    pairs: Iterable[str | Path] = (),
    bias_type: str | None = None,
) -> pd.DataFrame:
    """The bias score (percent) of each model, benchmark, measure and protocol, with COLUMNS; one that a model
    lacks is left out.

    pairs: the tables of benchmarks, called after them. Each score is over all pairs of its benchmark, and
    once more over those of the bias type, where the benchmark has such.
    Raises InputError as unmask.tables.read_table does, and where two tables are of one model and benchmark.
    """
    of_types = {Path(path).stem: of_bias_type(read_table(path, PAIRS), bias_type) for path in pairs}
    rows: list[tuple[str, str, str, str, str, float, int]] = []
    for (model, benchmark), path in paths_by(paths, "model", "benchmark").items():
        scores = read_scores(path, measures)
        counted = {ALL_PAIRS: scores}
        some, of_type = of_types.get(benchmark, (None, None))
        if some is not None and of_type is not None:
            counted[of_type] = of_pairs(some, scores)
        for name, of_name in counted.items():
            decided = decisions(of_name[["pair_id"]].drop_duplicates(), of_name)
            trials, credit = (each.sum(axis=0) for each in (decided.trials(), decided.credit()))
            for place, (measure, protocol) in enumerate(decided.series):
                if measure in measures and trials[place]:
                    score = float(100 * credit[place] / trials[place])
                    rows.append((model, benchmark, name, measure, protocol, score, int(trials[place])))
    return pd.DataFrame(rows, columns=COLUMNS).astype({"score": np.float64})


@dataclass(frozen=True)
class TaskScores:
    """SCORES of all models and tasks.

    rows: with the columns model and task first. facts: the metadata of each table, by task and model.
    """

    rows: pd.DataFrame
    facts: Mapping[tuple[str, ...], Mapping[str, Any]]

    def of_last_step(self) -> pd.DataFrame:
        """The rows of the last step of each model and task."""
        steps = self.rows.groupby(["task", "model"])["step"].transform("max")
        return self.rows[self.rows["step"] == steps]

    def overall(self) -> pd.DataFrame:
        """Of these the means over the runs, of all occupations together."""
        rows = self.of_last_step()
        return rows[rows["seed"].isna() & rows["group"].isna()]

    def main(self) -> pd.DataFrame:
        """Of `overall` the rows of the main metric."""
        rows = self.overall()
        keys = zip(rows["task"], rows["model"], strict=True)
        return rows[rows["metric"] == [MAIN[str(self.facts[key]["kind"])] for key in keys]]


def read_task_scores(paths: Iterable[str | Path], order: Order | None = None) -> TaskScores:
    """The tables at `paths`, in their order or in `order` (as `load_tables` has it).

    Raises InputError where two are of one model and task.
    """
    tables = list(paths)
    rows = load_tables(tables, SCORES, "model", "task", order=order)
    return TaskScores(rows, facts_by(tables, "task", "model"))
