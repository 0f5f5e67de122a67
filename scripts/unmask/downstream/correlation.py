"""Does intrinsic bias predict bias in use? Kendall's tau over models, by its own test and by families.

Models that come from one model are alike in both, so tau's own test, which takes them as independent, errs
too often: at a correlation of .8 within families in 24 of 100 studies instead of 5. The test of families
permutes whole families: which family's intrinsic scores go with which one's bias in use.
"""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import kendalltau

from unmask.downstream.estimates import ALPHA
from unmask.downstream.schema import CORRELATIONS
from unmask.downstream.terms import AFTER, BEFORE, fine_tuned
from unmask.statistics.changes import CENTRE
from unmask.statistics.intervals import Floats, Ints
from unmask.tables import framed
from unmask.terms import CORRECTED, PUBLISHED

LEAST_MODELS = 8
"""There is no tau of fewer."""

MOST_PERMUTATIONS = 40320
"""All permutations are made where there are no more, as of eight families; else N_RANDOM of them."""

N_RANDOM, SEED = 20000, 0

_BATCH = 4096

READINGS = (PUBLISHED, CORRECTED)


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

    @classmethod
    def from_config(cls, entry: Mapping[str, Any]) -> "ModelRole":
        role, origin = entry.get("role"), entry.get("from")
        return cls(str(entry["name"]), str(entry["family"]), str(role or ""), origin)


@dataclass(frozen=True)
class Tau:
    """Kendall's tau-b. reason: why there is no tau, or no p of families."""

    tau: float | None = None
    p: float | None = None
    p_families: float | None = None
    permutations: int | None = None
    reason: str | None = None


def kendall(intrinsic: Floats, extrinsic: Floats, models: Sequence[ModelRole]) -> Tau:
    """Kendall's tau of two scores of the same models, shape (models,) each, with its tests."""
    if len(models) < LEAST_MODELS:
        return Tau(reason=f"{len(models)} models; fewer than {LEAST_MODELS} tell nothing")
    tau = kendalltau(intrinsic, extrinsic)
    if not np.isfinite(tau.statistic):
        return Tau(reason="a score is the same for all models")
    permutations = permutations_of(models)
    p, reason = _p_of_families(intrinsic, extrinsic, permutations)
    return Tau(float(tau.statistic), float(tau.pvalue), p, len(permutations) or None, reason)


def permutations_of(models: Sequence[ModelRole]) -> Ints:
    """Where each model's intrinsic score comes from when families are permuted, shape (permutations, models).

    Families change places with those of the same roles alone, role by role; one that has no such other keeps
    its place. The first permutation changes nothing. No rows where all keep theirs.
    """
    families: dict[str, dict[tuple[str, int], int]] = {}
    for place, model in enumerate(models):
        places = families.setdefault(model.family, {})
        # a second one of a role is a role of its own, by the order of the study
        repeats = sum(role == model.role for role, _ in places)
        places[model.role, repeats] = place
    alike: dict[tuple[tuple[str, int], ...], list[list[int]]] = {}
    for places in families.values():
        roles = tuple(sorted(places))
        alike.setdefault(roles, []).append([places[role] for role in roles])
    groups = [np.array(group) for group in alike.values() if len(group) > 1]
    if not groups:
        return np.empty((0, len(models)), np.int64)
    count = math.prod(math.factorial(len(group)) for group in groups)
    orders: Iterable[tuple[Sequence[int], ...]]
    if count <= MOST_PERMUTATIONS:
        orders = itertools.product(*(itertools.permutations(range(len(group))) for group in groups))
    else:
        count, rng = N_RANDOM, np.random.default_rng(SEED)
        random = (
            tuple(rng.permutation(len(group)).tolist() for group in groups) for _ in range(N_RANDOM - 1)
        )
        orders = itertools.chain([tuple(range(len(group)) for group in groups)], random)
    permutations = np.tile(np.arange(len(models)), (count, 1))
    for permutation, order_of_groups in zip(permutations, orders, strict=True):
        for group, order in zip(groups, order_of_groups, strict=True):
            permutation[group] = group[list(order)]
    return permutations


def _p_of_families(
    intrinsic: Floats, extrinsic: Floats, permutations: Ints
) -> tuple[float | None, str | None]:
    """The share of the permutations with as large a tau, of either sign; or why there is none."""
    if not len(permutations):
        return None, "no two families are made up alike, so none can change places"
    first, second = np.triu_indices(len(intrinsic), 1)
    signs = np.sign(intrinsic[:, None] - intrinsic[None, :])
    of_extrinsic: npt.NDArray[Any] = np.sign(extrinsic[first] - extrinsic[second])
    # what tau-b divides by stays the same: no score is changed, they only change places
    batches = (permutations[start : start + _BATCH] for start in range(0, len(permutations), _BATCH))
    sizes = np.concatenate(
        [np.abs(signs[batch[:, first], batch[:, second]] @ of_extrinsic) for batch in batches]
    )
    if np.mean(sizes >= sizes.max() - 0.5) > ALPHA:
        reason = (
            f"the families can change places in {len(permutations)} ways alone: too few to reject anything"
        )
        return None, reason
    return float(np.mean(sizes >= sizes[0] - 0.5)), None


def correlations_of(
    models: Sequence[ModelRole],
    before: pd.DataFrame,
    after: pd.DataFrame,
    extrinsic: pd.DataFrame,
    *,
    tasks: Sequence[str],
    benchmarks: Sequence[str],
    measures: Sequence[str],
) -> pd.DataFrame:
    """The correlations of all tasks, benchmarks and measures over the models, as CORRELATIONS.

    before, after: bias scores as unmask.downstream.scores has them; after: of models called {model}@{task}.
    extrinsic: model, task, metric (the main one of the task), value. A model without one of both is left
    out.
    """
    rows: list[dict[str, object]] = []
    for task, benchmark, measure in itertools.product(tasks, benchmarks, measures):
        in_use = extrinsic[extrinsic["task"] == task]
        if in_use.empty:
            continue
        bias_in_use = dict(zip(in_use["model"], in_use["value"], strict=True))
        for when, scores in ((BEFORE, before), (AFTER, after)):
            of_measure = scores[(scores["benchmark"] == benchmark) & (scores["measure"] == measure)]
            for (pairs, protocol), part in of_measure.groupby(["pairs", "protocol"], sort=False):
                columns = (part[name] for name in ("model", "score", "n"))
                scored = {model: (score, n) for model, score, n in zip(*columns, strict=True)}
                if when == AFTER:
                    scored = {
                        m.name: scored[name] for m in models if (name := fine_tuned(m.name, task)) in scored
                    }
                known = [m for m in models if m.name in scored and m.name in bias_in_use]
                if not known:
                    continue
                signed = np.array([scored[m.name][0] - CENTRE for m in known])
                values = np.array([bias_in_use[m.name] for m in known])
                for reading in READINGS:
                    tau = kendall(signed if reading == PUBLISHED else np.abs(signed), values, known)
                    rows.append(
                        {
                            "task": task,
                            "metric": in_use["metric"].iloc[0],
                            "benchmark": benchmark,
                            "pairs": pairs,
                            "n": min(int(scored[m.name][1]) for m in known),
                            "measure": measure,
                            "protocol": protocol,
                            "when": when,
                            "reading": reading,
                            "models": len(known),
                            "families": len({m.family for m in known}),
                            **vars(tau),
                        }
                    )
    return framed(rows, CORRELATIONS)
