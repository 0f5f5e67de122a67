"""How much bias scores change from one model to another, out of the comparisons of models."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd

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
]


def changes(
    paths: Iterable[str | Path], origins: Mapping[str, str], measures: Sequence[str], protocol: str
) -> pd.DataFrame:
    """The bias score of each model less that of the one that it was made from, with COLUMNS.

    paths: tables of COMPARISONS; origins: which model each was made from. Scores are those over the pairs
    that count for both, in percent; change, low and high in percentage points. In the order of `origins`, of
    the tables and of `measures`.
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
                    ends = sorted((sign * row["low"], sign * row["high"]))
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
                            "p": row["p"],
                        }
                    )
    found = pd.DataFrame(rows, columns=COLUMNS)
    rank = {measure: place for place, measure in enumerate(measures)}
    order = {model: place for place, model in enumerate(origins)}
    keys = pd.DataFrame({"model": found["model"].map(order), "measure": found["measure"].map(rank)})
    places = keys.sort_values(["model", "measure"], kind="stable").index
    return found.loc[places].reset_index(drop=True)
