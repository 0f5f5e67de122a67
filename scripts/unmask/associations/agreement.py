"""Whether association tests agree: one pooling with another, and with bias scores over pairs of sentences."""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import kendalltau, rankdata

from unmask.associations.named_draws import generator
from unmask.statistics.correction import holm

LEAST_MODELS = 5
"""Of fewer models no order is rarer than one in twenty: there is no p."""

LEAST_FOR_RHO = 3
"""Two models are in the same order or in the opposite one, whatever they are."""

MOST_PERMUTATIONS = 40320
"""All permutations are made where there are no more, as of eight models; else so many are DRAWN."""

DRAWN, SEED = 20000, 0

POOLING_COLUMNS = ["encoder", "first", "second", "tests", "same_sign", "tau"]
POINT_COLUMNS = [
    "suite",
    "pooling",
    "benchmark",
    "measure",
    "model",
    "tests",
    "mean_d",
    "score",
    "low",
    "high",
]
PAIR_COLUMNS = [
    "suite",
    "pooling",
    "benchmark",
    "measure",
    "models",
    "tests",
    "rho",
    "permutations",
    "p",
    "p_holm",
    "reason",
]

Floats = npt.NDArray[np.float64]


def poolings_compared(rows: pd.DataFrame, poolings: Sequence[str]) -> pd.DataFrame:
    """For each encoder and two poolings, over the tests with d in both: how many, the share whose d have the
    same sign, and Kendall's tau-b of d (null of fewer than two, or where one does not vary).

    rows: one row of each encoder, suite, test and pooling, with d; others' poolings are left out.
    """
    comparisons: list[dict[str, Any]] = []
    for encoder, of_encoder in rows[rows["d"].notna()].groupby("encoder", sort=False):
        d = {
            str(pooling): dict(zip(zip(part["suite"], part["test"], strict=True), part["d"], strict=True))
            for pooling, part in of_encoder.groupby("pooling", sort=False)
        }
        for first, second in itertools.combinations([p for p in poolings if p in d], 2):
            both = [test for test in d[first] if test in d[second]]
            if not both:
                continue
            ones, others = (np.array([d[pooling][test] for test in both]) for pooling in (first, second))
            comparisons.append(
                {
                    "encoder": str(encoder),
                    "first": first,
                    "second": second,
                    "tests": len(both),
                    "same_sign": float(np.mean(np.sign(ones) == np.sign(others))),
                    "tau": _tau(ones, others),
                }
            )
    return pd.DataFrame(comparisons, columns=POOLING_COLUMNS).astype({"same_sign": float, "tau": float})


def _tau(ones: Floats, others: Floats) -> float:
    if len(ones) < 2 or len(set(ones)) == 1 or len(set(others)) == 1:
        return math.nan
    return float(kendalltau(ones, others).statistic)


def flips(rows: pd.DataFrame, alpha: float) -> pd.DataFrame:
    """Of each encoder, over the tests that several of its poolings have a d of: how many (`tests`), in how
    many d has both signs (`flipped`) and would have on average if poolings had nothing in common
    (`by_chance`), and in how many of these either sign is below alpha before correction (`both_clear`)."""
    counts: list[tuple[str, int, int, float, int]] = []
    for encoder, of_encoder in rows[rows["d"].notna()].groupby("encoder", sort=False):
        tests = flipped = clear = 0
        chance = 0.0
        for _, part in of_encoder.groupby(["suite", "test"], sort=False):
            if part["pooling"].nunique() < 2:
                continue
            tests += 1
            # all of one sign, with even odds for each
            chance += 1 - 2.0 ** (1 - len(part))
            flipped += bool((part["d"] > 0).any() and (part["d"] < 0).any())
            clear_d = part[part["p_two"] < alpha]["d"]
            clear += bool((clear_d > 0).any() and (clear_d < 0).any())
        if tests:
            counts.append((str(encoder), tests, flipped, chance, clear))
    return pd.DataFrame(counts, columns=["encoder", "tests", "flipped", "by_chance", "both_clear"])


def points(rows: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """Mean d of each model beside its bias score, with POINT_COLUMNS: a row for each suite, pooling,
    benchmark and measure.

    d keeps its sign, as a score above 50 does: tests are written so that d above 0 is what a stereotype says,
    and those that go against it count against it. Means are over the tests that every one of the models has
    a d of, so that they are of the same tests.

    rows: one row of each encoder, suite, test and pooling. scores: model, benchmark, measure, score and its
    interval, as unmask.associations.metadata.bias_scores has them.
    """
    known = rows[rows["d"].notna()]
    means: list[dict[str, Any]] = []
    for (suite, pooling), of_pooling in known.groupby(["suite", "pooling"], sort=False):
        wide = of_pooling.pivot(index="test", columns="encoder", values="d")
        for (benchmark, measure), part in scores.groupby(["benchmark", "measure"], sort=False):
            score = {
                str(row["model"]): [float(row[key]) for key in ("score", "low", "high")]
                for row in part.to_dict("records")
            }
            models = [name for name in of_pooling["encoder"].drop_duplicates() if name in score]
            shared = wide[models].dropna()
            if not models or shared.empty:
                continue
            means += [
                {
                    "suite": suite,
                    "pooling": pooling,
                    "benchmark": benchmark,
                    "measure": measure,
                    "model": model,
                    "tests": len(shared),
                    "mean_d": float(shared[model].mean()),
                    **dict(zip(("score", "low", "high"), score[model], strict=True)),
                }
                for model in models
            ]
    return pd.DataFrame(means, columns=POINT_COLUMNS)


def with_pairs(means: pd.DataFrame) -> pd.DataFrame:
    """Spearman's ρ over models between mean d and bias score, with PAIR_COLUMNS; means: `points`.

    p is two-sided over permutations of the models, which it takes as independent, and p_holm is corrected
    over all of them.
    """
    keys = ["suite", "pooling", "benchmark", "measure"]
    correlations: list[dict[str, Any]] = []
    for key, of_combination in means.groupby(keys, sort=False):
        row: dict[str, Any] = dict(zip(keys, key, strict=True))
        row |= {"models": len(of_combination), "tests": int(of_combination["tests"].iloc[0])}
        correlations.append(
            row
            | dict(
                spearman(of_combination["mean_d"].to_numpy(float), of_combination["score"].to_numpy(float))
            )
        )
    frame = pd.DataFrame(correlations, columns=PAIR_COLUMNS).astype({"rho": float, "p": float})
    return holm(frame.assign(family=0), ["family"])[PAIR_COLUMNS]


def spearman(ones: Floats, others: Floats) -> Mapping[str, Any]:
    """Spearman's rho, the number of permutations and their two-sided p, or the reason why there is none."""
    n = len(ones)
    if n < LEAST_FOR_RHO:
        return {"reason": too_few(n)}
    if len(set(ones)) == 1 or len(set(others)) == 1:
        return {"reason": "all models have the same"}
    first, second = (_standard(rankdata(values)) for values in (ones, others))
    rho = float(first @ second)
    if n < LEAST_MODELS:
        return {"rho": rho, "reason": too_few(n)}
    if math.factorial(n) <= MOST_PERMUTATIONS:
        orders = np.array(list(itertools.permutations(range(n))))
    else:
        rng = generator(SEED, "models")
        orders = np.stack([np.arange(n), *(rng.permutation(n) for _ in range(DRAWN - 1))])
    reached = np.abs(first[orders] @ second) >= abs(rho) - 1e-12
    return {"rho": rho, "permutations": len(orders), "p": float(reached.mean())}


def too_few(models: int) -> str:
    """Why there is no p."""
    count = f"{models} model{'' if models == 1 else 's'}"
    return f"too few models ({count}, and {LEAST_MODELS} are needed)"


def _standard(ranks: Floats) -> Floats:
    centred = ranks - ranks.mean()
    scaled: Floats = centred / np.linalg.norm(centred)
    return scaled
