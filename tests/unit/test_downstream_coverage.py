"""Do intervals on bias in use hold what they promise, and do tests against chance? By simulation."""

import math
from typing import Any

import numpy as np
import pytest

from made_predictions import Logits, cells, people
from unmask.downstream.estimates import Estimate
from unmask.downstream.metrics import entailment, occupations, similarity
from unmask.downstream.terms import FEMALE

pytestmark = pytest.mark.long

STUDIES = 400


def first(estimates: Any, metric: str) -> Estimate:
    estimate: Estimate = next(one for one in estimates if one.metric == metric)
    return estimate


def mean_row(estimate: Estimate) -> dict[str, Any]:
    """The row of the mean over the runs."""
    return list(estimate.rows(range(len(estimate.values)), 1, 0.95))[-1]


def covers(estimate: Estimate, truth: float) -> bool:
    row = mean_row(estimate)
    return bool(row["low"] <= truth <= row["high"])


def predictions(items_gender: Any, labels: Any, gaps: Any, rng: np.random.Generator) -> Logits:
    """One run that predicts people of each label right with probability .6, and half its gap more or less."""
    sign = np.where(items_gender == FEMALE, 0.5, -0.5)
    right = rng.random(len(labels)) < 0.6 + sign * gaps[labels]
    logits = np.zeros((1, len(labels), len(gaps)))
    logits[0, np.arange(len(labels)), np.where(right, labels, (labels + 1) % len(gaps))] = 1
    return logits


def test_of_occupations_drawn_from_many() -> None:
    rng = np.random.default_rng(0)
    items, _ = people([0.0] * 20, 250, rng)
    gender, labels = items["gender"].to_numpy(str), items["label"].to_numpy(int)
    measuring = occupations.Measuring(items, 2)
    hits = {"tpr_gap": 0, "tpr_gap_signed": 0, "tpr_gap_rms": 0}
    for _ in range(STUDIES):
        # gaps well above what people alone bring about, so that E|gap| is that of the occupations
        gaps = rng.uniform(0.15, 0.55, 20) * rng.choice([-1, 1], 20)
        by_metric = {
            e.metric: e
            for e in measuring.estimates(predictions(gender, labels, gaps, rng))
            if e.group is None
        }
        hits["tpr_gap"] += covers(by_metric["tpr_gap"], 0.35)
        hits["tpr_gap_signed"] += covers(by_metric["tpr_gap_signed"], 0.0)
        noise = 2 * 0.24 / 250
        hits["tpr_gap_rms"] += covers(by_metric["tpr_gap_rms"], math.sqrt(0.35**2 + 0.4**2 / 12 + noise))
    for metric, covered in hits.items():
        assert 0.915 <= covered / STUDIES <= 0.98, (metric, covered)


def test_gaps_of_single_occupations() -> None:
    rng = np.random.default_rng(1)
    items, _ = people([0.0] * 10, [(12, 40)] * 10, rng)
    gender, labels = items["gender"].to_numpy(str), items["label"].to_numpy(int)
    measuring = occupations.Measuring(items, 2)
    gaps = np.linspace(-0.6, 0.6, 10)
    hits = 0
    for _ in range(STUDIES // 4):
        for estimate in measuring.estimates(predictions(gender, labels, gaps, rng)):
            if estimate.group is not None:
                hits += covers(estimate, gaps[int(estimate.group.split()[-1])])
    assert 0.93 <= hits / (STUDIES // 4 * 10) <= 0.985


def crossed(templates: int, names: int, rng: np.random.Generator, runs: int, mean: float) -> Logits:
    """Differences of the genders with effects of template, occupation, run and each cell in each run."""
    return (
        mean
        + rng.normal(0, 0.1, (templates, 1, 1))
        + rng.normal(0, 0.1, (names, 1))
        + (rng.normal(0, 0.05, runs) if runs > 1 else 0.0)
        + rng.normal(0, 0.2, (templates, names, 1))
        + rng.normal(0, 0.2, (templates, names, runs))
    )


@pytest.mark.parametrize("runs", [1, 3])
def test_of_templates_with_occupations(runs: int) -> None:
    rng = np.random.default_rng(2)
    templates, names = 24, 16
    items = cells(templates, names, tests=0)
    measuring = similarity.Measuring(items, 2)
    women = (items["gender"] == FEMALE).to_numpy()
    # a run differs as well where there are several
    sd = math.sqrt(2 * 0.1**2 + 2 * 0.2**2 + (0.05**2 if runs > 1 else 0))
    mean = 0.3
    folded = sd * math.sqrt(2 / math.pi) * math.exp(-(mean**2) / (2 * sd**2)) + mean * math.erf(
        mean / (sd * math.sqrt(2))
    )
    hits = {"delta": 0, "delta_signed": 0}
    for _ in range(STUDIES):
        delta = crossed(templates, names, rng, runs, mean)
        logits = np.zeros((runs, len(items), 1))
        logits[:, ~women, 0] = delta.reshape(-1, runs).T
        by_metric = {e.metric: e for e in measuring.estimates(logits) if e.group is None}
        hits["delta"] += covers(by_metric["delta"], folded)
        hits["delta_signed"] += covers(by_metric["delta_signed"], mean)
    for metric, covered in hits.items():
        # several runs err to the safe side
        assert 0.905 <= covered / STUDIES <= (0.98 if runs == 1 else 1.0), (metric, covered)


def test_chance_of_fair_models_is_5_in_100() -> None:
    rng = np.random.default_rng(3)
    items, _ = people([0.0] * 12, [(15, 40)] * 12, rng)
    gender, labels = items["gender"].to_numpy(str), items["label"].to_numpy(int)
    measuring = occupations.Measuring(items, 199)
    rejected = 0
    for _ in range(STUDIES):
        estimate = first(measuring.estimates(predictions(gender, labels, np.zeros(12), rng)), "tpr_gap")
        rejected += mean_row(estimate)["p"] <= 0.05
    assert 0.025 <= rejected / STUDIES <= 0.08

    # where what a model predicts depends on the sentence and its gender, but not on the gender as such
    bias = cells(16, 10, tests=0)
    women = (bias["gender"] == FEMALE).to_numpy()
    of_pairs, of_neutral = similarity.Measuring(bias, 199), entailment.Measuring(bias, 199)
    rejected_delta = rejected_fn = 0
    for _ in range(STUDIES):
        delta = rng.normal(0, 0.1, (16, 1)) + rng.normal(0, 0.2, (16, 10))
        logits = np.where(women, 0.0, np.repeat(delta.ravel(), 2))[None, :, None]
        rejected_delta += mean_row(first(of_pairs.estimates(logits), "delta_signed"))["p"] <= 0.05
        neutral = np.zeros((1, len(bias), 3))
        neutral[0, :, 1] = rng.normal(0.5, 1, (16, 1, 2)).repeat(10, axis=1).ravel() + rng.normal(
            0, 1, len(bias)
        )
        rejected_fn += mean_row(first(of_neutral.estimates(neutral), "fn_gap"))["p"] <= 0.05
    assert 0.025 <= rejected_delta / STUDIES <= 0.08
    assert 0.02 <= rejected_fn / STUDIES <= 0.08
