"""Intrinsic against extrinsic bias: Kendall's tau, and what permuting the families says."""

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from library import (
    BIAS,
    N_RANDOM,
    ModelRole,
    correlations_of,
    intrinsic_scores,
    kendall,
    permutations_of,
    read_table,
    rows_of,
    write_table,
)
from made_study import write_bias

COLUMNS = ["model", "benchmark", "pairs", "measure", "protocol", "score", "n"]
ROLES = ("", "at", "cda", "dropout")


def models_of(families: int, roles: tuple[str, ...] = ROLES) -> list[ModelRole]:
    return [ModelRole(f"m{f}{role}", f"m{f}", role) for f in range(families) for role in roles]


def literal_p(x: list[float], y: list[float], families: int, roles: int) -> float:
    """Every order of the families, each with tau from scipy."""
    observed = abs(kendalltau(x, y).statistic)
    blocks = [x[f * roles : (f + 1) * roles] for f in range(families)]
    taus = []
    for order in itertools.permutations(range(families)):
        permuted = [value for place in order for value in blocks[place]]
        taus.append(abs(kendalltau(permuted, y).statistic))
    return float(np.mean([tau >= observed - 1e-9 for tau in taus]))


def test_the_test_of_families_permutes_whole_families() -> None:
    rng = np.random.default_rng(0)
    for _ in range(3):
        x, y = rng.integers(0, 9, 10).astype(float), rng.normal(size=10)
        tau = kendall(x, y, models_of(5, ("", "cda")))
        assert tau["tau"] == pytest.approx(kendalltau(x, y).statistic)
        assert tau["p"] == pytest.approx(kendalltau(x, y).pvalue)
        assert tau["permutations"] == 120
        assert tau["p_families"] == pytest.approx(literal_p(x.tolist(), y.tolist(), 5, 2))
        assert "reason" not in tau


def test_families_of_other_roles_keep_their_place() -> None:
    models = [*models_of(3, ("", "cda")), ModelRole("n", "n"), *models_of(5, ("",))[3:]]
    orders = permutations_of(models)
    # three families of two and three of one
    assert len(orders) == len(np.unique(orders, axis=0)) == 36 and (orders[0] == np.arange(9)).all()
    roles = np.array([model.role for model in models])
    assert (roles[orders] == roles).all()
    families = np.array([model.family for model in models])
    assert (families[orders[:, 0:6:2]] == families[orders[:, 1:6:2]]).all()
    # many are permuted at random
    orders = permutations_of(models_of(10, ("",)))
    assert len(orders) == N_RANDOM and (np.sort(orders, axis=1) == np.arange(10)).all()
    mixed = [ModelRole(f"m{n}", "one" if n < 5 else f"f{n}", str(n)) for n in range(9)]
    tau = kendall(np.arange(9.0), np.arange(9.0), mixed)
    assert tau["tau"] == pytest.approx(1)
    assert "p_families" not in tau and "made up alike" in str(tau["reason"])


def test_there_is_no_tau_of_few_models_and_no_p_of_few_families() -> None:
    few = kendall(np.arange(7.0), np.arange(7.0), models_of(7, ("",)))
    assert few == {"reason": "7 models; fewer than 8 tell nothing"}
    three = kendall(np.arange(12.0), np.arange(12.0), models_of(3))
    assert three["tau"] == pytest.approx(1) and "p_families" not in three
    assert "6 ways" in str(three["reason"])
    same = kendall(np.ones(12), np.arange(12.0), models_of(3))
    assert "tau" not in same


@pytest.mark.thorough
def test_the_test_of_families_holds_its_level_where_the_plain_one_does_not() -> None:
    rng, models, studies, correlation = np.random.default_rng(11), models_of(7), 300, 0.8
    plain = by_family = 0
    for _ in range(studies):
        x, y = (
            np.repeat(rng.normal(size=7), 4) * math.sqrt(correlation)
            + rng.normal(size=28) * math.sqrt(1 - correlation)
            for _ in range(2)
        )
        tau: dict[str, Any] = kendall(x, y, models)
        plain += tau["p"] < 0.05
        by_family += tau["p_families"] < 0.05
    # 95 of 100 such simulations have 2.7 to 7.7 of 100 where the level is 5
    assert 0.02 <= by_family / studies <= 0.085
    assert plain / studies > 0.15


def test_correlations_of_a_study() -> None:
    """Of scores over all pairs and over those about gender; N is the fewest pairs that any model counts."""
    models, rng = models_of(8, ("",)), np.random.default_rng(3)
    names, gaps = [model.name for model in models], rng.random(8)
    scores = {pairs: rng.normal(50, 10, 8) for pairs in ("all", "gender")}
    rows = [
        [name, "cp", pairs, "AULA", protocol, scores[pairs][place], 1508 - place if pairs == "all" else 262]
        for place, name in enumerate(names)
        for pairs in scores
        for protocol in ("published", "corrected")
    ]
    later = [[f"{name}@bios", "cp", "all", "AULA", "corrected", 60.0, 9] for name in names[:7]]
    before, after = (pd.DataFrame(each, columns=COLUMNS) for each in (rows, later))
    extrinsic = pd.DataFrame({"model": names, "task": "bios", "metric": "tpr_gap", "value": gaps})
    order = {"task": ["bios", "sts"], "benchmark": ["cp"], "measure": ["AULA"]}
    correlations = correlations_of(models, before, after, extrinsic, order)
    by_key = {(row.when, row.pairs, row.protocol): row for row in rows_of(correlations)}
    assert len(by_key) == len(correlations) == 5
    for pairs, of_pairs in scores.items():
        signed, n = of_pairs - 50, {"all": 1501, "gender": 262}[pairs]
        for protocol, intrinsic in (("published", signed), ("corrected", np.abs(signed))):
            row = by_key["before", pairs, protocol]
            assert (row.tau, row.n) == (pytest.approx(kendalltau(intrinsic, gaps).statistic), n)
    last = by_key["after", "all", "corrected"]
    assert last.models == 7 and math.isnan(last.tau) and "7 models" in last.reason


def test_bias_scores_are_those_of_the_pairs_that_count(tmp_path: Path) -> None:
    """Corrected, an undefined pair is none; other variants, bias types and measures are passed over, and so
    is a score that there is not."""
    path = write_bias(tmp_path / "bias.parquet", "m", 0.6, np.random.default_rng(0))
    table = read_table(path, BIAS)
    table.loc[table["group"] == "gender", "undefined"] = 4
    table.loc[(table["group"] == "all") & (table["protocol"] == "published"), "score"] = None
    write_table(path, table, BIAS, {"model": "m", "benchmark": "cp"})
    rows = rows_of(intrinsic_scores([path], ["AULA"], "gender"))
    known = {(row.pairs, row.protocol): (row.model, row.benchmark, row.measure, row.n) for row in rows}
    expected = {("all", "corrected"): 1000, ("gender", "published"): 300, ("gender", "corrected"): 296}
    assert known == {key: ("m", "cp", "AULA", n) for key, n in expected.items()} and len(rows) == 3
    stated = table[(table["group"] == "gender") & (table["measure"] == "AULA")].iloc[0]
    assert [rows[1].score, rows[1].low, rows[1].high] == stated[["score", "low", "high"]].tolist()
