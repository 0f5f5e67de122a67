"""Bias scores of models on benchmarks, from the tables of their scores."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from unmask.benchmarks.schema import PAIRS
from unmask.loading import paths_by
from unmask.measures.reading import read_scores
from unmask.statistics.decisions import decisions, of_bias_type, of_pairs
from unmask.tables import read_table

COLUMNS = ["model", "benchmark", "measure", "protocol", "score"]


def bias_scores(
    paths: Iterable[str | Path],
    measures: Sequence[str],
    pairs: Iterable[str | Path] = (),
    bias_type: str | None = None,
) -> pd.DataFrame:
    """The bias score (percent) of each model, benchmark, measure and protocol, with COLUMNS; one that a model
    has not got is left out.

    pairs: the tables of benchmarks, called after them; of those that have pairs of the bias type, these
    alone count. Raises InputError as unmask.tables.read_table does, and where two tables are of one model
    and benchmark.
    """
    chosen = {Path(path).stem: of_bias_type(read_table(path, PAIRS), bias_type)[0] for path in pairs}
    rows: list[tuple[str, str, str, str, float]] = []
    for (model, benchmark), path in paths_by(paths, "model", "benchmark").items():
        scores = read_scores(path, measures)
        if benchmark in chosen:
            scores = of_pairs(chosen[benchmark], scores)
        found = decisions(scores[["pair_id"]].drop_duplicates(), scores)
        trials = found.trials().sum(axis=0)
        credit = found.credit().sum(axis=0)
        for place, (measure, protocol) in enumerate(found.series):
            if measure in measures and trials[place]:
                rows.append((model, benchmark, measure, protocol, float(100 * credit[place] / trials[place])))
    return pd.DataFrame(rows, columns=COLUMNS).astype({"score": np.float64})
