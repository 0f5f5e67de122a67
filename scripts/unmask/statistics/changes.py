"""How much bias scores change from one model to another, out of the comparisons of models."""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from scipy.stats import norm

from unmask.statistics.schema import COMPARISONS
from unmask.tables import read_metadata, read_table

COLUMNS = [
    "benchmark",
    "origin",
    "model",
    "measure",
    "protocol",
    "before",
    "after",
    "change",
    "low",
    "high",
    "p",
    "independent",
]


def changes(
    paths: Iterable[str | Path], origins: Mapping[str, str], measures: Sequence[str], protocol: str
) -> pd.DataFrame:
    """The bias score of each model less that of the one that it was made from, with COLUMNS.

    paths: tables of COMPARISONS; origins: which model each was made from. Scores are those over the pairs
    that count for both, in percent; change, low and high in percentage points. Where pairs all share a word,
    so that there is no clustered interval, `independent` is true: pairs are then taken as independent, and p
    is McNemar's. In the order of `origins`, of the tables and of `measures`.
    """
    rows: list[dict[str, object]] = []
    for path in paths:
        benchmark = str(read_metadata(path)["benchmark"])
        table = read_table(path, COMPARISONS)
        table = table[(table["protocol"] == protocol) & table["measure"].isin(list(measures))]
        for model, origin in origins.items():
            for first, second, sign in ((model, origin, 1.0), (origin, model, -1.0)):
                own = table[(table["first"] == first) & (table["second"] == second)]
                for row in own.to_dict("records"):
                    low, high, p, independent = _interval(row)
                    ends = sorted((sign * low, sign * high))
                    scores = [row["first_score"], row["second_score"]]
                    after, before = scores if sign > 0 else reversed(scores)
                    rows.append(
                        {
                            "benchmark": benchmark,
                            "origin": origin,
                            "model": model,
                            "measure": row["measure"],
                            "protocol": protocol,
                            "before": before,
                            "after": after,
                            "change": sign * row["difference"],
                            "low": ends[0],
                            "high": ends[1],
                            "p": p,
                            "independent": independent,
                        }
                    )
    found = pd.DataFrame(rows, columns=COLUMNS)
    rank = {measure: place for place, measure in enumerate(measures)}
    order = {model: place for place, model in enumerate(origins)}
    keys = pd.DataFrame({"model": found["model"].map(order), "measure": found["measure"].map(rank)})
    places = keys.sort_values(["model", "measure"], kind="stable").index
    return found.loc[places].reset_index(drop=True)


def _interval(row: Mapping[Hashable, Any]) -> tuple[float, float, float, bool]:
    """The ends of the interval of a comparison, its p, and whether pairs are taken as independent."""
    alone, other, n = row["b"], row["c"], row["n"]
    if not pd.isna(row["low"]) or alone + other == 0:
        return row["low"], row["high"], row["p"], False
    # of the difference of two shares of the same pairs
    error = 100 / n * math.sqrt(alone + other - (alone - other) ** 2 / n)
    half = float(norm.ppf((1 + row["confidence"]) / 2)) * error
    return row["difference"] - half, row["difference"] + half, row["p_mcnemar"], True
