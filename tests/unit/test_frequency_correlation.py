"""Log frequency ratios, and whether margins go with them, against slow and obvious computations."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import synthetic
from grouped_words import pairs_of, write_counts
from library import (
    CORRELATIONS,
    PAIR_RATIOS,
    InputError,
    correlation_table,
    log_ratios,
    rows_of,
    spearman,
    write_table,
)
from study_schema import MEASURES


def slow_ranks(values: list[float]) -> list[float]:
    """1 for the smallest; equals share the mean of their places."""
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2
        for value in values
    ]


def slow_spearman(first: list[float], second: list[float]) -> float:
    a, b = slow_ranks(first), slow_ranks(second)
    mean = (len(a) + 1) / 2
    covariance = sum((x - mean) * (y - mean) for x, y in zip(a, b, strict=True))
    return covariance / math.sqrt(sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=4, max_size=30))
def test_spearman_equals_a_slow_one(points: list[tuple[float, float]]) -> None:
    first, second = [float(x) for x, _ in points], [float(y) for _, y in points]
    found = spearman(np.array(first), np.array(second), 0.9)
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert np.isnan(found.rho)
        return
    rho = slow_spearman(first, second)
    assert found.rho == pytest.approx(rho)
    if abs(rho) > 1 - 1e-9:
        assert np.isnan(found.low)
        return
    # Bonett & Wright 2000: the variance of Fisher's z is (1 + rho²/2) / (n - 3)
    z = 0.5 * math.log((1 + rho) / (1 - rho))
    reach = float(norm.ppf(0.95)) * math.sqrt((1 + rho * rho / 2) / (len(first) - 3))
    for end, value in ((z - reach, found.low), (z + reach, found.high)):
        assert value == pytest.approx((math.exp(2 * end) - 1) / (math.exp(2 * end) + 1))


def test_log_ratios_are_means_of_smoothed_logarithms_stereotype_first(tmp_path: Path) -> None:
    pairs = pairs_of(
        ("gender", "she is here", "he is here", "stereo"),
        ("gender", "he is there", "she is there", "antistereo"),
        ("age", "an old grandmother sat", "a young boy sat", "stereo"),
        ("age", "these old people", "these people", "stereo"),
        ("age", "the same", "the same", "stereo"),
        ("age", "zyx", "he", None),
    )
    counts = {"he": 100, "she": 25, "an": 50, "a": 400, "old": 10, "young": 20, "boy": 8, "the": 999}
    first = write_counts(tmp_path / "one.parquet", counts)
    second = write_counts(tmp_path / "two.parquet", {"she": 15})
    ratios, tokens = log_ratios(pairs, [first, second])
    assert tokens == sum(counts.values()) + 15
    # 25 + 15 for she
    assert ratios["log_ratio"][0] == pytest.approx(math.log(40.5) - math.log(100.5))
    # the direction does not turn it round
    assert ratios["log_ratio"][1] == pytest.approx(math.log(100.5) - math.log(40.5))
    # grandmother is in no corpus: 0 + 0.5
    expected = (math.log(50.5) + math.log(10.5) + math.log(0.5)) / 3
    expected -= (math.log(400.5) + math.log(20.5) + math.log(8.5)) / 3
    assert ratios["log_ratio"][2] == pytest.approx(expected)
    assert ratios["log_ratio"][3:5].isna().all()
    assert ratios["log_ratio"][5] == pytest.approx(math.log(0.5) - math.log(100.5))
    write_table(tmp_path / "ratios.parquet", ratios, PAIR_RATIOS, {})


def ratios_of(pairs: pd.DataFrame, values: Any) -> pd.DataFrame:
    return pd.DataFrame({"pair_id": pairs["pair_id"], "log_ratio": values})


def test_the_link_is_spearman_of_the_pairs_that_have_both(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    parts = synthetic.make(80, seed=5)
    values = rng.choice([-2.0, -1, 0, 1, 2, np.nan], 80)
    found = correlation_table(parts.pairs, parts.scores, ratios_of(parts.pairs, values), 0.95)
    assert set(found["grouping"]) == {"overall", "bias_type"}
    assert len(found) == len(MEASURES) * 2 * (1 + parts.pairs["bias_type"].nunique())
    for row in rows_of(found):
        scores = parts.scores
        scores = scores[(scores["measure"] == row.measure) & (scores["protocol"] == row.protocol)]
        margin = dict(zip(scores["pair_id"], scores["margin"], strict=True))
        first, second, left_out = [], [], 0
        for pair_id, bias_type, ratio in zip(
            parts.pairs["pair_id"], parts.pairs["bias_type"], values, strict=True
        ):
            if row.group in ("all", bias_type):
                if math.isnan(ratio) or math.isnan(margin[pair_id]):
                    left_out += 1
                else:
                    first.append(float(ratio))
                    second.append(margin[pair_id])
        assert (row.n, row.left_out) == (len(first), left_out)
        assert row.rho == pytest.approx(slow_spearman(first, second))
        assert row.low < row.rho < row.high
    write_table(tmp_path / "link.parquet", found, CORRELATIONS, {})
    with pytest.raises(InputError, match="not those of this benchmark"):
        correlation_table(parts.pairs, parts.scores, ratios_of(parts.pairs[::-1], np.zeros(80)), 0.95)


def test_a_link_that_is_undefined_says_why(tmp_path: Path) -> None:
    parts = synthetic.make(40, seed=6)
    pairs = parts.pairs.assign(bias_type=["one"] * 2 + ["flat"] * 18 + ["steep"] * 20)
    scores = parts.scores.assign(margin=parts.scores["pair_id"].str[1:].astype(float), outcome="stereotype")
    # ratios that differ by less than a hundredth are taken as equal
    values = [1.0, 2.0, *np.linspace(0.996, 1.004, 18), *np.arange(20.0)]
    found = correlation_table(pairs, scores, ratios_of(pairs, values), 0.95).drop_duplicates("group")
    reasons = dict(zip(found["group"], found["reason"], strict=True))
    assert reasons["one"] == "fewer than four pairs"
    assert reasons["flat"] == "every ratio is the same"
    assert reasons["steep"] == "no interval: the correlation is perfect"
    assert found.set_index("group").loc["steep", "rho"] == 1.0
    level = correlation_table(pairs, scores.assign(margin=1.0), ratios_of(pairs, np.arange(40.0)), 0.95)
    assert level.loc[level["group"] == "all", "reason"].tolist()[0] == "every margin is the same"
    write_table(tmp_path / "link.parquet", level, CORRELATIONS, {})
