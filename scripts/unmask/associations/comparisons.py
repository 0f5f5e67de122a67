"""Comparisons of association tests: poolings, and models' bias scores over pairs of sentences."""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import kendalltau, rankdata

from unmask.associations.permutations import generator
from unmask.report.sheets import counted
from unmask.statistics.correction import holm

POOLING_COLUMNS = ["encoder", "first", "second", "tests", "same_sign", "tau"]
COMBINATION = ["suite", "pooling", "benchmark", "measure"]
POINT_COLUMNS = [*COMBINATION, "model", "tests", "mean_d", "score", "low", "high"]
PAIR_COLUMNS = [*COMBINATION, "models", "tests", "rho", "permutations", "p", "p_holm", "reason"]

LEAST_MODELS = 5
"""Of fewer models no order is rarer than one in twenty: there is no p."""

LEAST_FOR_RHO = 3
"""Two models are in the same order or in the opposite one, whatever they are."""

MOST_PERMUTATIONS = 40320
"""Up to so many permutations, as of eight models, are enumerated; of more, DRAWN are drawn."""

DRAWN, SEED = 20000, 0

Floats = npt.NDArray[np.float64]


def poolings_compared(rows: pd.DataFrame, poolings: Sequence[str]) -> pd.DataFrame:
    """For each encoder and two poolings, over the tests with d in both: how many, the share whose d have the
    same sign, and Kendall's tau-b of d (null of fewer than two, or where one does not vary).

    rows: one row of each encoder, suite, test and pooling, with d; others' poolings are left out.
    """
    comparisons: list[tuple[Any, ...]] = []
    for encoder, of_encoder in rows[rows["d"].notna()].groupby("encoder", sort=False):
        wide = of_encoder.pivot(index=["suite", "test"], columns="pooling", values="d")
        for first, second in itertools.combinations([p for p in poolings if p in wide], 2):
            both = wide[[first, second]].dropna()
            if len(both):
                ones, others = both.to_numpy(float).T
                same_sign = float(np.mean(np.sign(ones) == np.sign(others)))
                tau = float(kendalltau(ones, others).statistic) if len(both) > 1 else math.nan
                comparisons.append((encoder, first, second, len(both), same_sign, tau))
    return pd.DataFrame(comparisons, columns=POOLING_COLUMNS).astype({"same_sign": float, "tau": float})


def flips(rows: pd.DataFrame, alpha: float) -> pd.DataFrame:
    """Of each encoder, over the tests that several of its poolings have a d of: how many (`tests`), in how
    many d has both signs (`flipped`) and would have on average if poolings were unrelated (`by_chance`), and
    in how many of these both signs have p below alpha before correction (`both_clear`)."""
    known = rows[rows["d"].notna()]
    up, down, clear = known["d"] > 0, known["d"] < 0, known["p_two"] < alpha
    signs = known[["encoder", "suite", "test"]].assign(
        up=up, down=down, clear_up=up & clear, clear_down=down & clear, poolings=1
    )
    by_test = signs.groupby(["encoder", "suite", "test"], sort=False).sum()
    by_test = by_test[by_test["poolings"] > 1]
    counts = pd.DataFrame(
        {
            "tests": 1,
            "flipped": (by_test["up"] > 0) & (by_test["down"] > 0),
            # all of one sign, with even odds for each
            "by_chance": 1 - 2.0 ** (1 - by_test["poolings"]),
            "both_clear": (by_test["clear_up"] > 0) & (by_test["clear_down"] > 0),
        }
    )
    return counts.groupby("encoder", sort=False).sum().reset_index()


def points(rows: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """Mean d of each model with its bias score, with POINT_COLUMNS: a row for each suite, pooling, benchmark
    and measure.

    d keeps its sign, as a score above 50 does: tests are written so that d above 0 is what a stereotype says,
    and those that go against it count against it. Means are over the tests that every one of the models has
    a d of, so that they are of the same tests.

    rows: one row of each encoder, suite, test and pooling. scores: model, benchmark, measure, score and its
    interval, as unmask.associations.results.bias_scores has them.
    """
    known = rows.loc[rows["d"].notna(), ["encoder", "suite", "test", "pooling", "d"]]
    known = known.assign(row=known.groupby(["suite", "pooling"], sort=False).ngroup())
    scores = scores.assign(column=scores.groupby(["benchmark", "measure"], sort=False).ngroup())
    joined = known.merge(scores, left_on="encoder", right_on="model")
    joined = joined.sort_values(["row", "column"], kind="stable")
    models = joined.groupby(COMBINATION)["model"].transform("nunique")
    shared = joined[joined.groupby([*COMBINATION, "test"])["model"].transform("size") == models]
    ends = {name: (name, "first") for name in ("score", "low", "high")}
    by_model = shared.groupby([*COMBINATION, "model"], sort=False, as_index=False)
    return by_model.agg(tests=("test", "size"), mean_d=("d", "mean"), **ends)[POINT_COLUMNS]


def with_pairs(means: pd.DataFrame) -> pd.DataFrame:
    """Spearman's ρ over models between mean d and bias score, with PAIR_COLUMNS; means: `points`.

    p is two-sided over permutations of the models, which it takes as independent, and p_holm is corrected
    over all of them.
    """
    correlations: list[dict[str, Any]] = [
        dict(zip(COMBINATION, key, strict=True))
        | {"models": len(models), "tests": int(models["tests"].iloc[0])}
        | spearman(models["mean_d"].to_numpy(float), models["score"].to_numpy(float))
        for key, models in means.groupby(COMBINATION, sort=False)
    ]
    frame = pd.DataFrame(correlations, columns=PAIR_COLUMNS).astype({"rho": float, "p": float})
    return holm(frame.assign(family=0), ["family"])[PAIR_COLUMNS]


def spearman(ones: Floats, others: Floats) -> dict[str, Any]:
    """Spearman's rho, the number of permutations and their two-sided p, or the reason why there is none."""
    n = len(ones)
    few = f"too few models ({counted(n, 'model')}, and {LEAST_MODELS} are needed)"
    if n < LEAST_FOR_RHO:
        return {"reason": few}
    if len(set(ones)) == 1 or len(set(others)) == 1:
        return {"reason": "all models have the same"}
    first, second = (_standard(rankdata(values)) for values in (ones, others))
    rho = float(first @ second)
    if n < LEAST_MODELS:
        return {"rho": rho, "reason": few}
    if math.factorial(n) <= MOST_PERMUTATIONS:
        orders = np.array(list(itertools.permutations(range(n))))
    else:
        rng = generator(SEED, "models")
        orders = np.stack([np.arange(n), *(rng.permutation(n) for _ in range(DRAWN - 1))])
    reached = np.abs(first[orders] @ second) >= abs(rho) - 1e-12
    return {"rho": rho, "permutations": len(orders), "p": float(reached.mean())}


def _standard(ranks: Floats) -> Floats:
    centred = ranks - ranks.mean()
    scaled: Floats = centred / np.linalg.norm(centred)
    return scaled
