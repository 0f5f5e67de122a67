"""Does intrinsic bias say what bias in use says? Kendall's tau over models, by its own test and by families.

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
"""All permutations are made where there are no more, as of eight families; else so many are DRAWN."""

DRAWN, SEED = 20000, 0

_AT_ONCE = 4096

READINGS = (PUBLISHED, CORRECTED)


@dataclass(frozen=True)
class Member:
    """A model in its family: the models that come from one.

    role: what it is there, such as the method that it was debiased with; "" of the first. origin: the model
    that it was made from, if it was made from one of the study.
    """

    name: str
    family: str
    role: str = ""
    origin: str | None = None

    @classmethod
    def from_config(cls, entry: Mapping[str, Any]) -> "Member":
        role, origin = entry.get("role"), entry.get("from")
        return cls(str(entry["name"]), str(entry["family"]), str(role or ""), origin)


@dataclass(frozen=True)
class Tau:
    """Kendall's tau-b. reason: why there is no tau, or no p of families."""

    tau: float | None
    p: float | None
    p_families: float | None
    permutations: int | None
    reason: str | None


def kendall(intrinsic: Floats, extrinsic: Floats, members: Sequence[Member]) -> Tau:
    """Kendall's tau of two scores of the same models, shape (models,) each, with its tests."""
    if len(members) < LEAST_MODELS:
        return Tau(None, None, None, None, f"{len(members)} models; fewer than {LEAST_MODELS} tell nothing")
    found = kendalltau(intrinsic, extrinsic)
    if not np.isfinite(found.statistic):
        return Tau(None, None, None, None, "a score is the same for all models")
    orders = permutations_of(members)
    p, reason = _families(intrinsic, extrinsic, orders)
    return Tau(float(found.statistic), float(found.pvalue), p, len(orders) or None, reason)


def permutations_of(members: Sequence[Member]) -> Ints:
    """Where each model's intrinsic score comes from when families are permuted, shape (permutations, models).

    Families change places with those of the same roles alone, role by role; one that has no such other keeps
    its place. The first permutation changes nothing. No rows where all keep theirs.
    """
    families: dict[str, dict[str, int]] = {}
    for place, member in enumerate(members):
        own = families.setdefault(member.family, {})
        # a second one of a role is a role of its own, by the order of the study
        role = member.role
        while role in own:
            role += "+"
        own[role] = place
    alike: dict[tuple[str, ...], list[Ints]] = {}
    for own in families.values():
        roles = tuple(sorted(own))
        alike.setdefault(roles, []).append(np.array([own[role] for role in roles]))
    groups = [np.stack(group) for group in alike.values() if len(group) > 1]
    if not groups:
        return np.empty((0, len(members)), np.int64)
    every = math.prod(math.factorial(len(group)) for group in groups)
    if every <= MOST_PERMUTATIONS:
        chosen: Iterable[tuple[Sequence[int], ...]] = itertools.product(
            *(itertools.permutations(range(len(group))) for group in groups)
        )
        many = every
    else:
        rng = np.random.default_rng(SEED)
        drawn = (tuple(rng.permutation(len(group)).tolist() for group in groups) for _ in range(DRAWN - 1))
        chosen = itertools.chain([tuple(range(len(group)) for group in groups)], drawn)
        many = DRAWN
    orders = np.tile(np.arange(len(members)), (many, 1))
    for place, orders_of_groups in enumerate(chosen):
        for group, order in zip(groups, orders_of_groups, strict=True):
            orders[place, group] = group[list(order)]
    return orders


def _families(intrinsic: Floats, extrinsic: Floats, orders: Ints) -> tuple[float | None, str | None]:
    """The share of the permutations with as large a tau, of either sign; or why there is none."""
    if not len(orders):
        return None, "no two families are made up alike, so none can change places"
    first, second = np.triu_indices(len(intrinsic), 1)
    signs = np.sign(intrinsic[:, None] - intrinsic[None, :])
    others: npt.NDArray[Any] = np.sign(extrinsic[first] - extrinsic[second])
    # what tau-b divides by stays the same: no score is changed, they only change places
    some = range(0, len(orders), _AT_ONCE)
    sizes = np.concatenate(
        [
            np.abs(signs[own[:, first], own[:, second]] @ others)
            for own in (orders[start : start + _AT_ONCE] for start in some)
        ]
    )
    if np.mean(sizes >= sizes.max() - 0.5) > ALPHA:
        return None, f"the families can change places in {len(orders)} ways alone: too few to reject anything"
    return float(np.mean(sizes >= sizes[0] - 0.5)), None


@dataclass(frozen=True)
class Wanted:
    """What is correlated with what: the models with their families, and the names of tasks, benchmarks and
    measures."""

    members: Sequence[Member]
    tasks: Sequence[str]
    benchmarks: Sequence[str]
    measures: Sequence[str]


def correlations_of(
    wanted: Wanted, before: pd.DataFrame, after: pd.DataFrame, extrinsic: pd.DataFrame
) -> pd.DataFrame:
    """All correlations, as CORRELATIONS.

    before, after: bias scores as unmask.downstream.intrinsic has them; after: of models called
    {model}@{task}. extrinsic: model, task, metric (the main one of the task), value. A model without one of
    both is left out.
    """
    rows: list[dict[str, object]] = []
    for task, benchmark, measure in itertools.product(wanted.tasks, wanted.benchmarks, wanted.measures):
        in_use = extrinsic[extrinsic["task"] == task]
        if in_use.empty:
            continue
        biases = dict(zip(in_use["model"], in_use["value"], strict=True))
        for when, scores in ((BEFORE, before), (AFTER, after)):
            own = scores[(scores["benchmark"] == benchmark) & (scores["measure"] == measure)]
            for protocol in own["protocol"].drop_duplicates():
                of_protocol = own[own["protocol"] == protocol]
                known = dict(zip(of_protocol["model"], of_protocol["score"], strict=True))
                names = {
                    m.name: m.name if when == BEFORE else fine_tuned(m.name, task) for m in wanted.members
                }
                members = [m for m in wanted.members if names[m.name] in known and m.name in biases]
                if not members:
                    continue
                signed = np.array([known[names[m.name]] - CENTRE for m in members])
                values = np.array([biases[m.name] for m in members])
                for reading in READINGS:
                    found = kendall(signed if reading == PUBLISHED else np.abs(signed), values, members)
                    rows.append(
                        {
                            "task": task,
                            "metric": in_use["metric"].iloc[0],
                            "benchmark": benchmark,
                            "measure": measure,
                            "protocol": protocol,
                            "when": when,
                            "reading": reading,
                            "models": len(members),
                            "families": len({m.family for m in members}),
                            **vars(found),
                        }
                    )
    return framed(rows, CORRELATIONS)
