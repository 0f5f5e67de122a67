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
    framed,
    intrinsic_scores,
    kendall,
    read_table,
    rows_of,
    write_table,
)

COLUMNS = ["model", "benchmark", "pairs", "measure", "protocol", "score", "n"]
ROLES = ("", "at", "cda", "dropout")
MEASURES, PROTOCOLS = ("AULA", "CPS"), ("published", "corrected")


def models_of(families: int, roles: tuple[str, ...] = ROLES) -> list[ModelRole]:
    return [ModelRole(f"m{f}{role}", f"m{f}", role) for f in range(families) for role in roles]


def literal_p(x: Any, y: Any, models: list[ModelRole]) -> tuple[int, float]:
    """The orders in which families stand for others of the same roles, each with tau from scipy."""
    score: dict[str, dict[str, float]] = {}
    for model, value in zip(models, x, strict=True):
        score.setdefault(model.family, {})[model.role] = value
    taus = []
    for order in itertools.permutations(score):
        other = dict(zip(score, order, strict=True))
        if all(score[family].keys() == score[other[family]].keys() for family in score):
            permuted = [score[other[model.family]][model.role] for model in models]
            taus.append(abs(kendalltau(permuted, y).statistic))
    return len(taus), float(np.mean([tau >= abs(kendalltau(x, y).statistic) - 1e-9 for tau in taus]))


# four families of two and two of one
MIXED = [
    *models_of(3, ("", "cda")),
    ModelRole("n", "n"),
    *models_of(5, ("", "cda"))[6:8],
    ModelRole("o", "o"),
]


@pytest.mark.parametrize(("models", "orders"), [(models_of(5, ("", "cda")), 120), (MIXED, 48)])
def test_the_test_of_families_permutes_whole_families(models: list[ModelRole], orders: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(3):
        x, y = rng.integers(0, 9, len(models)).astype(float), rng.normal(size=len(models))
        tau = kendall(x, y, models)
        assert [tau["tau"], tau["p"]] == pytest.approx([*kendalltau(x, y)])
        assert (tau["permutations"], tau["p_families"]) == pytest.approx(literal_p(x, y, models))
        assert tau["permutations"] == orders and "reason" not in tau


def test_many_families_are_permuted_at_random_and_unlike_ones_not_at_all() -> None:
    tau = kendall(np.arange(10.0), np.arange(10.0), models_of(10, ("",)))
    assert (tau["permutations"], tau["p_families"]) == (N_RANDOM, 1 / N_RANDOM)
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


def write_bias(path: Path, model: str, share: float, rng: np.random.Generator) -> Path:
    """BIAS of 1000 pairs, 300 of them about gender, of which such a share show the stereotype."""
    rows: list[dict[str, Any]] = []
    for variant, group, n in (
        ("original", "all", 1000),
        ("original", "gender", 300),
        ("original", "age", 700),
        ("shuffled", "all", 1000),
    ):
        for measure in MEASURES:
            count = int(rng.binomial(n, share))
            score = 100 * count / n
            row = {"variant": variant, "group": group, "measure": measure, "n": n, "clusters": "words"}
            row |= {"grouping": "overall" if group == "all" else "bias_type", "neutral": 50.0}
            row |= {
                "stereotype": count,
                "antistereotype": n - count,
                "tie": 0,
                "undefined": 0,
                "near_ties": 0,
            }
            row |= {"score": score, "low": score - 9, "high": score + 9, "confidence": 0.95}
            rows += [row | {"protocol": protocol} for protocol in PROTOCOLS]
    write_table(path, framed(rows, BIAS), BIAS, {"model": model, "benchmark": "cp"})
    return path


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
