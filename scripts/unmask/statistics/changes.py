"""How much bias scores change from one model to another, out of the comparisons of models."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from unmask.loading import tables_by
from unmask.measures.registry import sees_context
from unmask.statistics.correction import holm
from unmask.statistics.schema import COMPARISONS

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
    "p_mcnemar",
    "untestable",
]

CENTRE = 50.0
"""The bias score, in percent, of a model that prefers neither side."""


def changes(
    paths: Iterable[str | Path], origins: Mapping[str, str], measures: Sequence[str], protocol: str
) -> pd.DataFrame:
    """The bias score of each model less that of the one that it was made from, with COLUMNS.

    paths: tables of COMPARISONS; origins: which model each was made from. Scores are those over the pairs
    that count for both, in percent; change, low and high in percentage points, with p, clustered as in
    COMPARISONS. Where scores or decisions differ and there is no such interval, as where all pairs share a
    word, `untestable` is true: nothing is known of other words. p_mcnemar takes pairs as independent and
    supports no claim. In the order of `origins`, of the tables and of `measures`.
    """
    rows: list[dict[str, object]] = []
    for benchmark, table in tables_by(paths, COMPARISONS, "benchmark").items():
        table = table[(table["protocol"] == protocol) & table["measure"].isin(list(measures))]
        for model, origin in origins.items():
            for first, second, sign in ((model, origin, 1.0), (origin, model, -1.0)):
                own = table[(table["first"] == first) & (table["second"] == second)]
                for row in own.to_dict("records"):
                    ends = sorted((sign * row["low"], sign * row["high"]))
                    differs = row["b"] + row["c"] > 0 or row["difference"] != 0
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
                            "p_mcnemar": row["p_mcnemar"],
                            "untestable": differs and pd.isna(row["p"]),
                        }
                    )
    found = pd.DataFrame(rows, columns=COLUMNS)
    rank = {measure: place for place, measure in enumerate(measures)}
    order = {model: place for place, model in enumerate(origins)}
    keys = pd.DataFrame({"model": found["model"].map(order), "measure": found["measure"].map(rank)})
    places = keys.sort_values(["model", "measure"], kind="stable").index
    return found.loc[places].reset_index(drop=True)


def without_controls(changed: pd.DataFrame) -> pd.DataFrame:
    """The changes of which something may be claimed: those of measures that see some word of a sentence."""
    return changed[changed["measure"].map(sees_context).astype(bool)]


def corrected(changed: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """`changed` with p_holm over the changes of equal `by` that are no controls; controls have none."""
    claimed = changed["measure"].map(sees_context).astype(bool)
    return holm(changed.assign(p=changed["p"].where(claimed)), by).assign(p=changed["p"])


@dataclass(frozen=True)
class Clear:
    """What may be said of some changes.

    changes, tested, untestable: how many there are; the others of `changes` are none. nearer, further: the
    rows that come nearer to 50 or go further from it, with p_holm < alpha.
    """

    changes: int
    tested: int
    untestable: int
    nearer: pd.DataFrame
    further: pd.DataFrame


def clear_changes(changed: pd.DataFrame, alpha: float) -> Clear:
    """changed: as `changes`, with p_holm over the rows with a p."""
    by = (changed["after"] - CENTRE).abs() - (changed["before"] - CENTRE).abs()
    clear = changed["p_holm"] < alpha
    return Clear(
        len(changed),
        int(changed["p"].notna().sum()),
        int(changed["untestable"].sum()),
        changed[clear & (by < 0)],
        changed[clear & (by > 0)],
    )
