"""Do intervals of extrinsic bias hold what they promise, and do tests against chance? By simulation."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from library import DOWNSTREAM_MALE as MALE
from library import ENTAILMENT, FEMALE, GAP, OCCUPATIONS, SIMILARITY
from library import downstream_measure as measure
from made_predictions import Logits, cells, people, runs_of

pytestmark = pytest.mark.long

STUDIES = 400
"""Each is one run; runs know nothing of each other but in the row of their mean."""


def rows_of_runs(kind: str, items: pd.DataFrame, logits: Logits, draws: int = 2) -> pd.DataFrame:
    """The rows of each run by metric and occupation."""
    rows = measure(kind, items, runs_of(logits), draws, 0.95)
    rows = rows[rows["seed"].notna()]
    return rows.assign(group=rows["group"].fillna("")).set_index(["metric", "group"]).sort_index()


def covered(rows: pd.DataFrame, metric: str, truth: float, group: str = "") -> float:
    """The share of the intervals that hold the truth."""
    those = rows.loc[[(metric, group)]]
    return float(((those["low"] <= truth) & (truth <= those["high"])).mean())


def rejected(rows: pd.DataFrame, metric: str) -> float:
    p = rows.loc[[(metric, "")]]["p"].to_numpy(float)
    return float(np.mean(p <= 0.05))


def predictions(items: pd.DataFrame, gaps: Any, rng: np.random.Generator) -> Logits:
    """Each run predicts people of each label right with probability .6, and half its gap more or less.

    gaps: shape (runs, labels).
    """
    labels = items["label"].to_numpy(int)
    sign = np.where(items["gender"] == FEMALE, 0.5, -0.5)
    right = rng.random((len(gaps), len(labels))) < 0.6 + sign * gaps[:, labels]
    predicted = np.where(right, labels, (labels + 1) % gaps.shape[1])
    return np.eye(gaps.shape[1])[predicted]


def test_of_occupations_drawn_from_many() -> None:
    rng = np.random.default_rng(0)
    items, _ = people([0.0] * 20, 250, rng)
    # gaps well above what people alone bring about, so that E|gap| is that of the occupations
    gaps = rng.uniform(0.15, 0.55, (STUDIES, 20)) * rng.choice([-1, 1], (STUDIES, 20))
    noise = 2 * 0.24 / 250
    truths = {"tpr_gap": 0.35, "tpr_gap_signed": 0.0, "tpr_gap_rms": math.sqrt(0.35**2 + 0.4**2 / 12 + noise)}
    rows = rows_of_runs(OCCUPATIONS, items, predictions(items, gaps, rng))
    for metric, truth in truths.items():
        assert 0.915 <= covered(rows, metric, truth) <= 0.98, metric


def test_gaps_of_single_occupations() -> None:
    rng = np.random.default_rng(1)
    items, _ = people([0.0] * 10, [(12, 40)] * 10, rng)
    gaps = np.linspace(-0.6, 0.6, 10)
    rows = rows_of_runs(OCCUPATIONS, items, predictions(items, np.tile(gaps, (STUDIES, 1)), rng))
    shares = [covered(rows, GAP, gap, f"occupation {label:02}") for label, gap in enumerate(gaps)]
    assert 0.93 <= np.mean(shares) <= 0.985


@pytest.mark.parametrize("runs", [1, 3])
def test_of_templates_with_occupations(runs: int) -> None:
    """Differences of the genders have effects of template, occupation, run and each cell in each run."""
    rng = np.random.default_rng(2)
    templates, names, mean = 24, 16, 0.3
    studies = STUDIES if runs == 1 else STUDIES // 4
    items = cells(templates, names, tests=0)
    shape = (studies, runs, templates, names)
    delta = (
        mean
        + rng.normal(0, 0.1, (studies, 1, templates, 1))
        + rng.normal(0, 0.1, (studies, 1, 1, names))
        + (rng.normal(0, 0.05, (studies, runs, 1, 1)) if runs > 1 else 0.0)
        + rng.normal(0, 0.2, (studies, 1, templates, names))
        + rng.normal(0, 0.2, shape)
    )
    logits = np.zeros((studies, runs, len(items), 1))
    logits[:, :, (items["gender"] == MALE).to_numpy(), 0] = delta.reshape(studies, runs, -1)
    # a run differs as well where there are several
    sd = math.sqrt(2 * 0.1**2 + 2 * 0.2**2 + (0.05**2 if runs > 1 else 0))
    folded = sd * math.sqrt(2 / math.pi) * math.exp(-(mean**2) / (2 * sd**2)) + mean * math.erf(
        mean / (sd * math.sqrt(2))
    )
    if runs == 1:
        rows = rows_of_runs(SIMILARITY, items, logits[:, 0])
    else:
        every = [measure(SIMILARITY, items, runs_of(study), 2, 0.95) for study in logits]
        rows = pd.concat(every).query("seed.isna()").fillna({"group": ""})
        rows = rows.set_index(["metric", "group"]).sort_index()
    for metric, truth in (("delta", folded), ("delta_signed", mean)):
        # intervals of several runs are conservative
        assert 0.905 <= covered(rows, metric, truth) <= (0.98 if runs == 1 else 1.0), metric


def test_chance_of_fair_models_is_5_in_100() -> None:
    rng = np.random.default_rng(3)
    items, _ = people([0.0] * 12, [(15, 40)] * 12, rng)
    rows = rows_of_runs(OCCUPATIONS, items, predictions(items, np.zeros((STUDIES, 12)), rng), 199)
    assert 0.025 <= rejected(rows, "tpr_gap") <= 0.08

    # where what a model predicts depends on the sentence and its gender, but not on the gender as such
    bias = cells(16, 10, tests=0)
    women = (bias["gender"] == FEMALE).to_numpy()
    delta = rng.normal(0, 0.1, (STUDIES, 16, 1)) + rng.normal(0, 0.2, (STUDIES, 16, 10))
    logits = np.where(women, 0.0, np.repeat(delta.reshape(STUDIES, -1), 2, axis=1))
    rows = rows_of_runs(SIMILARITY, bias, logits[:, :, None], 199)
    assert 0.025 <= rejected(rows, "delta_signed") <= 0.08
    neutral = np.zeros((STUDIES, len(bias), 3))
    of_sentences = rng.normal(0.5, 1, (STUDIES, 16, 1, 2)).repeat(10, axis=2).reshape(STUDIES, -1)
    neutral[:, :, 1] = of_sentences + rng.normal(0, 1, (STUDIES, len(bias)))
    rows = rows_of_runs(ENTAILMENT, bias, neutral, 199)
    assert 0.02 <= rejected(rows, "fn_gap") <= 0.08
