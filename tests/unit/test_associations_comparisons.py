"""Differences between encoders, and whether poolings and bias scores agree, against loops."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau, permutation_test, spearmanr

from made_associations import AWKWARD, SETTINGS, Study, make_study
from unmask.associations import comparisons
from unmask.associations.comparisons import (
    flips,
    points,
    poolings_compared,
    spearman,
    with_pairs,
)
from unmask.associations.results import AssociationResults

BLANK = "blank"


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return make_study(tmp_path_factory.mktemp("comparisons"))


@pytest.fixture(scope="module")
def results(study: Study) -> AssociationResults:
    return AssociationResults(study.files, study.settings)


def quantile(values: list[float], share: float) -> float:
    """By linear interpolation between the sorted values."""
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])


def test_poolings_compared(study: Study, results: AssociationResults) -> None:
    for encoder in (AWKWARD, BLANK):
        d: dict[str, list[float]] = {"mean": [], "cls": []}
        for name in ("words", "world"):
            rows = study.rows[encoder, name]
            rows = rows[(rows["protocol"] == "corrected")]
            rows = rows[(rows["level"] == "word") | (rows["test"] == "unworded")]
            for pooling, values in d.items():
                values += rows.loc[rows["pooling"] == pooling, "d"].tolist()
        (row,) = results.poolings_compared.query("encoder == @encoder").itertuples()
        assert (row.first, row.second, row.tests) == ("mean", "cls", 7)
        same = [a * b > 0 for a, b in zip(*d.values(), strict=True)]
        assert row.same_sign == pytest.approx(sum(same) / 7)
        concordant = sum(
            np.sign((a - c) * (b - e))
            for (a, b), (c, e) in itertools.combinations(list(zip(*d.values(), strict=True)), 2)
        )
        assert row.tau == pytest.approx(concordant / 21)
        (flip,) = results.flips.query("encoder == @encoder").itertuples()
        assert (flip.tests, flip.flipped) == (7, 7 - sum(same))


def rows_of_tests(*rows: tuple[str, str, str, float, float]) -> pd.DataFrame:
    """encoder, test, pooling, d, p_two."""
    frame = pd.DataFrame(rows, columns=["encoder", "test", "pooling", "d", "p_two"])
    return frame.assign(suite="s")


def test_signs_that_either_pooling_is_sure_of() -> None:
    rows = rows_of_tests(
        ("e", "a", "cls", 1.0, 0.01),
        ("e", "a", "mean", -1.0, 0.01),
        ("e", "b", "cls", 1.0, 0.01),
        ("e", "b", "mean", -1.0, 0.2),
        ("e", "c", "cls", 1.0, 0.01),
        ("e", "c", "mean", 0.0, 1.0),
        ("e", "alone", "cls", 1.0, 0.01),
        ("f", "a", "cls", 1.0, 0.01),
    )
    assert flips(rows, 0.05).to_numpy().tolist() == [["e", 3, 2, 1.5, 1]]


def test_one_test_in_common_has_no_tau() -> None:
    rows = rows_of_tests(("e", "a", "cls", 1.0, 0.01), ("e", "a", "mean", 0.5, 0.01))
    compared = poolings_compared(rows, ["cls", "mean"])
    assert compared["same_sign"].tolist() == [1.0] and compared["tau"].isna().all()
    assert poolings_compared(rows, ["cls"]).empty
    assert kendalltau([1, 2, 3], [1, 3, 2]).statistic == pytest.approx(1 / 3)


def test_mean_d_keeps_its_sign_and_is_over_tests_that_all_have() -> None:
    rows = rows_of_tests(
        ("m1", "a", "cls", 1.0, 1.0),
        ("m1", "b", "cls", -3.0, 1.0),
        ("m1", "c", "cls", 9.0, 1.0),
        ("m2", "a", "cls", 0.5, 1.0),
        ("m2", "b", "cls", 0.5, 1.0),
        ("vectors", "a", "cls", 0.5, 1.0),
    )
    scores = pd.DataFrame(
        [
            ("m1", "cp", "AULA", 60.0, 55.0, 66.0),
            ("m2", "cp", "AULA", 40.0, 31.0, 45.0),
            ("m3", "cp", "AULA", 50.0, 48.0, 52.0),
        ],
        columns=["model", "benchmark", "measure", "score", "low", "high"],
    )
    means = points(rows, scores)
    assert means[["model", "tests", "mean_d", "score", "low", "high"]].to_numpy().tolist() == [
        ["m1", 2, -1.0, 60.0, 55.0, 66.0],
        ["m2", 2, 0.5, 40.0, 31.0, 45.0],
    ]
    assert points(rows, scores.head(0)).empty and with_pairs(points(rows, scores.head(0))).empty


def test_bias_scores_are_of_the_measure_and_of_all_pairs(results: AssociationResults) -> None:
    assert dict(zip(results.points["model"], results.points["score"], strict=True)) == {
        AWKWARD: 60.0,
        BLANK: 59.0,
    }
    assert set(results.points["measure"]) == set(SETTINGS["pairs"])


@pytest.mark.parametrize("seed", range(3))
def test_rho_and_its_exact_p(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=6), rng.integers(4, size=6).astype(float)
    correlation = spearman(x, y)
    assert (
        correlation["rho"] == pytest.approx(spearmanr(x, y).statistic) and correlation["permutations"] == 720
    )
    rhos = [spearmanr([x[i] for i in order], y).statistic for order in itertools.permutations(range(6))]
    assert correlation["p"] == pytest.approx(np.mean(np.abs(rhos) >= abs(correlation["rho"]) - 1e-12))


def test_p_of_drawn_permutations_is_near_the_exact_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=7)
    y = x + rng.normal(size=7)
    exact = spearman(x, y)["p"]
    monkeypatch.setattr(comparisons, "MOST_PERMUTATIONS", 10)
    sampled = spearman(x, y)
    assert sampled["permutations"] == comparisons.DRAWN
    assert sampled["p"] == pytest.approx(exact, abs=4 * math.sqrt(exact / comparisons.DRAWN))
    assert spearman(x, y) == sampled
    reference = permutation_test(
        (x,), lambda a: spearmanr(a, y).statistic, permutation_type="pairings", n_resamples=300, rng=0
    )
    assert sampled["p"] == pytest.approx(reference.pvalue, abs=0.1)


def test_too_few_models_have_no_p() -> None:
    assert spearman(np.arange(4.0), np.arange(4.0)) == {
        "rho": pytest.approx(1.0),
        "reason": "too few models (4 models, and 5 are needed)",
    }
    assert "1 model," in spearman(np.arange(1.0), np.arange(1.0))["reason"]
    assert set(spearman(np.arange(2.0), np.arange(2.0))) == {"reason"}
    assert spearman(np.ones(6), np.arange(6.0)) == {"reason": "all models have the same"}
    assert 2 / math.factorial(5) < 0.05 < 2 / math.factorial(4)


def test_p_is_corrected_over_all_that_are_compared() -> None:
    rng = np.random.default_rng(1)
    rows = [
        ("s", pooling, "cp", "AULA", f"m{n}", 3, d, float(n), n - 1.0, n + 1.0)
        for pooling, values in (("cls", np.arange(6.0)), ("mean", rng.normal(size=6)))
        for n, d in enumerate(values)
    ]
    correlations = with_pairs(pd.DataFrame(rows, columns=comparisons.POINT_COLUMNS))
    assert correlations["p"].iloc[0] == pytest.approx(2 / 720)
    assert correlations["p_holm"].iloc[0] == pytest.approx(4 / 720)
    assert correlations["p_holm"].iloc[1] == pytest.approx(correlations["p"].iloc[1])
    assert correlations["rho"].iloc[0] == pytest.approx(1.0)
