"""Does intrinsic bias predict extrinsic bias? Kendall's tau over models, by its own test and by families.

Models that come from one model are alike in both, so tau's own test, which takes them as independent, errs
too often: at a correlation of .8 within families in 24 of 100 studies instead of 5. The test of families
permutes whole families: which family's intrinsic scores go with which one's extrinsic bias.
"""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import kendalltau

from unmask.downstream.cells import ALPHA, Floats
from unmask.downstream.schema import CORRELATIONS
from unmask.downstream.terms import AFTER, BEFORE, MAIN
from unmask.report.study_results import load_tables
from unmask.statistics.schema import BIAS, BIAS_TYPE, NO_PREFERENCE, OVERALL
from unmask.tables import framed
from unmask.terms import CORRECTED, ORIGINAL, PUBLISHED

Ints = npt.NDArray[np.int64]

LEAST_MODELS = 8
"""There is no tau of fewer."""

MOST_PERMUTATIONS = 40320
"""All permutations are made where there are no more, as of eight families; else N_RANDOM of them."""

N_RANDOM, SEED = 20000, 0


@dataclass(frozen=True)
class ModelRole:
    """A model and its role in its family, the models that come from one.

    role: such as the method that it was debiased with; "" of the first. origin: the model that it was made
    from, if it was made from one of the study.
    """

    name: str
    family: str
    role: str = ""
    origin: str | None = None


def kendall(intrinsic: Floats, extrinsic: Floats, models: Sequence[ModelRole]) -> dict[str, object]:
    """Kendall's tau-b of two scores of the same models, shape (models,) each: tau, p, p_families,
    permutations, and reason, why there is no tau or no p of families; what there is none of is left out."""
    if len(models) < LEAST_MODELS:
        return {"reason": f"{len(models)} models; fewer than {LEAST_MODELS} tell nothing"}
    tau = kendalltau(intrinsic, extrinsic)
    if not np.isfinite(tau.statistic):
        return {"reason": "a score is the same for all models"}
    of_families = _test_of_families(intrinsic, extrinsic, permutations_of(models))
    return {"tau": float(tau.statistic), "p": float(tau.pvalue), **of_families}


def permutations_of(models: Sequence[ModelRole]) -> Ints:
    """Where each model's intrinsic score comes from when families are permuted, shape (permutations, models).

    Families change places with those of the same roles alone, role by role; one that has no such other keeps
    its place. The first permutation changes nothing. No rows where all keep theirs.
    """
    families: dict[str, list[tuple[str, int]]] = {}
    for place, model in enumerate(models):
        families.setdefault(model.family, []).append((model.role, place))
    alike: dict[tuple[str, ...], list[list[int]]] = {}
    for members in map(sorted, families.values()):
        alike.setdefault(tuple(role for role, _ in members), []).append([place for _, place in members])
    groups = [np.array(group) for group in alike.values() if len(group) > 1]
    if not groups:
        return np.empty((0, len(models)), np.int64)
    count = math.prod(math.factorial(len(group)) for group in groups)
    orders: Iterable[Sequence[Sequence[int]]]
    if count <= MOST_PERMUTATIONS:
        orders = itertools.product(*(itertools.permutations(range(len(group))) for group in groups))
    else:
        count, rng = N_RANDOM, np.random.default_rng(SEED)
        random = ([rng.permutation(len(group)).tolist() for group in groups] for _ in range(N_RANDOM - 1))
        orders = itertools.chain([[range(len(group)) for group in groups]], random)
    permutations = np.tile(np.arange(len(models)), (count, 1))
    for permutation, of_groups in zip(permutations, orders, strict=True):
        for group, order in zip(groups, of_groups, strict=True):
            permutation[group] = group[list(order)]
    return permutations


def _test_of_families(intrinsic: Floats, extrinsic: Floats, permutations: Ints) -> dict[str, object]:
    """The share of the permutations with as large a tau, of either sign; or why there is none."""
    if not len(permutations):
        return {"reason": "no two families are made up alike, so none can change places"}
    first, second = np.triu_indices(len(intrinsic), 1)
    signs = np.sign(intrinsic[:, None] - intrinsic[None, :])
    of_extrinsic = np.sign(extrinsic[first] - extrinsic[second])
    # what tau-b divides by stays the same: no score is changed, they only change places
    parts = np.array_split(permutations, 1 + len(permutations) // 4096)
    sizes = np.concatenate([np.abs(signs[of[:, first], of[:, second]] @ of_extrinsic) for of in parts])
    if np.mean(sizes >= sizes.max() - 0.5) > ALPHA:
        ways = f"the families can change places in {len(permutations)} ways alone: too few to reject anything"
        return {"permutations": len(permutations), "reason": ways}
    return {"permutations": len(permutations), "p_families": float(np.mean(sizes >= sizes[0] - 0.5))}


def correlations_of(
    models: Sequence[ModelRole],
    before: pd.DataFrame,
    after: pd.DataFrame,
    extrinsic: pd.DataFrame,
    order: Mapping[str, Sequence[str]],
) -> pd.DataFrame:
    """The correlations of all tasks, benchmarks and measures over the models, as CORRELATIONS.

    before, after: as `intrinsic_scores`; after: of models called {model}@{task}. extrinsic: model, task,
    metric (the main one of the task), value. order: of task, benchmark and measure. Intrinsic bias is the
    score less 50: published with its sign, corrected its size. A model without one of both is left out.
    """
    extrinsic = extrinsic[["task", "model", "metric", "value"]]
    tuned = extrinsic.assign(of_task=extrinsic["model"] + "@" + extrinsic["task"])
    parts = [
        before.merge(extrinsic, on="model").assign(when=BEFORE),
        after.rename(columns={"model": "of_task"}).merge(tuned, on="of_task").assign(when=AFTER),
    ]
    roles = {model.name: model for model in models}
    order = {**order, "when": (BEFORE, AFTER), "model": list(roles)}
    rows = pd.concat(parts)
    rows = rows.sort_values([*order], key=lambda column: column.map([*order[str(column.name)]].index))
    keys = ["task", "benchmark", "measure", "when", "pairs", "protocol", "metric"]
    lines: list[dict[str, object]] = []
    for of, part in rows.groupby(keys, sort=False):
        those = [roles[name] for name in part["model"]]
        signed = part["score"].to_numpy(float) - NO_PREFERENCE
        about: dict[str, object] = {"models": len(those), "n": int(part["n"].min())}
        about |= dict(zip(keys, of, strict=True))
        intrinsic = signed if about["protocol"] == PUBLISHED else np.abs(signed)
        lines.append(about | kendall(intrinsic, part["value"].to_numpy(float), those))
    return framed(lines, CORRELATIONS)


def intrinsic_scores(paths: Iterable[str | Path], measures: Sequence[str], bias_type: str) -> pd.DataFrame:
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


def is_overall(scores: pd.DataFrame) -> "pd.Series[bool]":
    """Which of SCORES are the means over the runs, of all occupations together."""
    return scores["seed"].isna() & scores["group"].isna()


def main_metrics(scores: pd.DataFrame) -> pd.DataFrame:
    """Of these the main metric of each task."""
    return scores[is_overall(scores) & scores["metric"].isin(list(MAIN.values()))]
