"""How much bias scores, and the margins behind them, change from one model to another."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from unmask.benchmarks.schema import PAIRS
from unmask.measures.formulas import sees_context
from unmask.measures.schema import read_scores
from unmask.statistics.decisions import of_bias_type, of_pairs
from unmask.statistics.ranks import holm
from unmask.statistics.schema import COMPARISONS
from unmask.study_results import load_tables, paths_by
from unmask.tables import read_table
from unmask.terms import CORRECTED

ROUNDING = 1e-6
"""A typical margin of no more is rounding error."""

MARGIN_KEYS = ["model", "benchmark", "measure"]


def changes(
    paths: Iterable[str | Path], origins: Mapping[str, str], measures: Sequence[str], protocol: str
) -> pd.DataFrame:
    """The bias score of each model less that of its origin.

    paths: tables of COMPARISONS; origins: the model that each model was made from. Columns: benchmark,
    origin, model, measure, protocol; before and after, the scores over the pairs that count for both, in
    percent; change, low and high in percentage points, and p, clustered as in COMPARISONS; untestable, true
    where scores or decisions differ but there is no interval, as where all pairs share a word: nothing is
    known of other words.
    In the order of `origins`, of `measures` and of the tables.
    """
    rows = load_tables(paths, COMPARISONS, "benchmark", order={"measure": measures})
    rows = rows[rows["protocol"] == protocol]
    turned = {"first": "second", "first_score": "second_score", "low": "high"}
    turned |= {other: one for one, other in turned.items()}
    back = rows.rename(columns=turned)
    back[["difference", "low", "high"]] *= -1
    every = pd.concat([rows, back]).sort_index(kind="stable")
    changed = every[every["first"].map(origins) == every["second"]]
    differ = (changed["b"] + changed["c"] > 0) | (changed["difference"] != 0)
    changed = changed.assign(untestable=differ & changed["p"].isna())
    names = {"second": "origin", "first": "model", "second_score": "before", "first_score": "after"}
    changed = changed.rename(columns=names | {"difference": "change"})
    columns = ["benchmark", "origin", "model", "measure", "protocol", "before", "after", "change"]
    changed = changed[[*columns, "low", "high", "p", "untestable"]]
    rank = {model: place for place, model in enumerate(origins)}
    return changed.sort_values("model", key=lambda models: models.map(rank), kind="stable", ignore_index=True)


def without_controls(changed: pd.DataFrame) -> pd.DataFrame:
    """The changes that may support a claim: those of measures that see some word of a sentence."""
    return changed[changed["measure"].map(sees_context).astype(bool)]


def corrected(changed: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """`changed` with p_holm over the changes of equal `by` that are no controls; controls have none."""
    claimed = changed["measure"].map(sees_context).astype(bool)
    return holm(changed.assign(p=changed["p"].where(claimed)), by).assign(p=changed["p"])


def margins_of(
    scores: Iterable[str | Path],
    pairs: Iterable[str | Path],
    measures: Sequence[str],
    bias_type: str | None,
) -> "pd.Series[float]":
    """The typical margin (stereotype less antistereotype, corrected) over the pairs of a bias type, by
    MARGIN_KEYS: the median of its size.

    scores: tables of SCORES; pairs: tables of PAIRS, called after their benchmarks. A share of pairs that
    prefer the stereotype can stay far from one half while the margins that it rests on vanish.
    """
    chosen = {Path(path).stem: of_bias_type(read_table(path, PAIRS), bias_type)[0] for path in pairs}
    parts = [pd.DataFrame(columns=[*MARGIN_KEYS, "protocol", "margin"])]
    for (model, benchmark), path in paths_by(scores, "model", "benchmark").items():
        of_model = of_pairs(chosen[benchmark], read_scores(path, measures))
        parts.append(of_model.assign(model=model, benchmark=benchmark))
    rows = pd.concat(parts[1:] or parts).astype({"measure": "str", "margin": float})
    margin = rows[rows["protocol"] == CORRECTED].dropna(subset=["margin"]).set_index(MARGIN_KEYS)["margin"]
    return margin.abs().groupby(MARGIN_KEYS).median()


def with_margins(changed: pd.DataFrame, margins: "pd.Series[float]") -> pd.DataFrame:
    """Changes with the margins (`margins_of`) of both models, typical_before and typical_after: null where
    they are not known."""
    for when, model in (("before", "origin"), ("after", "model")):
        keys = pd.MultiIndex.from_frame(changed[[model, "benchmark", "measure"]])
        changed = changed.assign(**{f"typical_{when}": margins.reindex(keys).to_numpy(float)})
    return changed


def margins_left(changed: pd.DataFrame) -> float | None:
    """The typical margins of models as shares of those of their origins: the median over bias scores, None
    where there was no margin.

    changed: as `with_margins`.
    """
    shares = changed["typical_after"] / changed["typical_before"]
    shares = shares[changed["typical_before"] > ROUNDING].dropna()
    return None if shares.empty else float(shares.median())
