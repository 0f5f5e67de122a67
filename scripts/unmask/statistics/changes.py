"""How much bias scores, and the margins behind them, change from one model to another."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from unmask.measures.formulas import sees_context
from unmask.statistics.schema import COMPARISONS
from unmask.study_results import load_tables

_NAMES = {
    **{"first": "model", "first_score": "after", "first_margin": "typical_after"},
    **{"second": "origin", "second_score": "before", "second_margin": "typical_before"},
    "difference": "change",
}


def changes(
    paths: Iterable[str | Path], origins: Mapping[str, str], measures: Sequence[str], protocol: str
) -> pd.DataFrame:
    """The bias score of each model less that of its origin.

    paths: tables of COMPARISONS of models, the first, with their origins; origins: the model that each model
    was made from. Columns: those of COMPARISONS with model, after, typical_after for what the first has, and
    origin, before, typical_before for the second; change, the difference; benchmark; untestable, true where
    scores or decisions differ but there is no interval, as where all pairs share a word: nothing is known of
    other words. In the order of `origins`, of `measures` and of the tables.
    """
    rows = load_tables(paths, COMPARISONS, "benchmark", order={"measure": measures})
    rows = rows[(rows["protocol"] == protocol) & (rows["first"].map(origins) == rows["second"])]
    differ = (rows["b"] + rows["c"] > 0) | (rows["difference"] != 0)
    rows = rows.assign(untestable=differ & rows["p"].isna())
    rank = {model: place for place, model in enumerate(origins)}
    rows = rows.sort_values("first", key=lambda models: models.map(rank), kind="stable", ignore_index=True)
    return rows.rename(columns=_NAMES)


def without_controls(changed: pd.DataFrame) -> pd.DataFrame:
    """The changes that may support a claim: those of measures that see some word of a sentence."""
    return changed[changed["measure"].map(sees_context).astype(bool)]
