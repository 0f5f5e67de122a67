"""Agreement with raters against pair-by-pair definitions."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

import synthetic
from library import (
    AGREEMENT,
    ROC,
    Sharing,
    agreement_table,
    contrast,
    curve,
    decisions,
    roc_table,
    vote_counts,
    write_table,
)
from study_schema import MEASURES
from test_statistics_comparisons import ALONE, TOGETHER

Scores = st.lists(st.integers(-4, 4).map(float), min_size=2, max_size=12)


def psi(x: float, y: float) -> float:
    return 1.0 if x > y else 0.5 if x == y else 0.0


def literal_auc(positive: list[float], negative: list[float]) -> float:
    """Mann-Whitney: over all pairs of a positive and a negative, 1 if the positive is higher, ½ if equal."""
    wins = [psi(x, y) for x in positive for y in negative]
    return sum(wins) / len(wins)


@given(Scores, Scores)
def test_the_area_lies_under_the_curve_which_keeps_every_corner(
    positive: list[float], negative: list[float]
) -> None:
    is_positive = np.arange(len(positive) + len(negative)) < len(positive)
    false, true = curve(np.array([*positive, *negative]), is_positive).to_numpy().T
    assert (false[0], true[0], false[-1], true[-1]) == (0, 0, 1, 1)
    assert (np.diff(false) >= 0).all() and (np.diff(true) >= 0).all()
    trapezoids = float(np.sum(np.diff(false) * (true[1:] + true[:-1]) / 2))
    assert trapezoids == pytest.approx(literal_auc(positive, negative))
    # the rates of each threshold lie on the curve
    for threshold in {*positive, *negative}:
        x = sum(score >= threshold for score in negative) / len(negative)
        y = sum(score >= threshold for score in positive) / len(positive)
        assert any(
            abs((x - x0) * (y1 - y0) - (y - y0) * (x1 - x0)) < 1e-12
            and x0 - 1e-12 <= x <= x1 + 1e-12
            and y0 - 1e-12 <= y <= y1 + 1e-12
            for x0, x1, y0, y1 in zip(false, false[1:], true, true[1:], strict=False)
        )


def literal_classes(
    made: synthetic.Synthetic, measure: str, protocol: str
) -> tuple[list[float], list[float], list[int]]:
    """Margins of the pairs that four raters or more call biased, those of others, and the pairs' numbers."""
    decided = synthetic.decided(made.scores, measure, protocol)
    positive: dict[int, float] = {}
    negative: dict[int, float] = {}
    for number, (pair, ratings) in enumerate(made.pairs[["pair_id", "ratings"]].to_numpy().tolist()):
        margin = decided[pair][1]
        if ratings is not None and not math.isnan(margin):
            votes = sum(vote is not None for vote in ratings)
            (positive if votes >= 4 else negative)[number] = margin
    return list(positive.values()), list(negative.values()), [*positive, *negative]


def table_of(made: synthetic.Synthetic, sharing: Sharing = ALONE, **changed: Any) -> pd.DataFrame:
    pairs = made.pairs.assign(**changed)
    return agreement_table(pairs, decisions(pairs, made.scores), 0.95, sharing)


@pytest.fixture(scope="module")
def made() -> synthetic.Synthetic:
    return synthetic.make(90, seed=5)


@pytest.mark.parametrize("sharing", [ALONE, TOGETHER], ids=["alone", "together"])
def test_areas_and_variances_are_the_literal_ones(
    made: synthetic.Synthetic, sharing: Sharing, tmp_path: Path
) -> None:
    """By S10 and S01 of DeLong, DeLong & Clarke-Pearson 1988, O(mn), times the design effect."""
    table, curves = table_of(made, sharing), roc_table(made.pairs, decisions(made.pairs, made.scores))
    write_table(tmp_path / "agreement.parquet", table, AGREEMENT, {})
    write_table(tmp_path / "roc.parquet", curves, ROC, {})
    assert len(table) == 2 * len(MEASURES)
    for row in table.to_dict("records"):
        positive, negative, numbers = literal_classes(made, row["measure"], row["protocol"])
        m, n = len(positive), len(negative)
        assert (row["positives"], row["negatives"]) == (m, n)
        assert row["undefined"] == made.pairs["ratings"].notna().sum() - m - n
        points = curves[(curves["measure"] == row["measure"]) & (curves["protocol"] == row["protocol"])]
        x, y = points["false_positive_rate"].to_numpy(), points["true_positive_rate"].to_numpy()
        area = literal_auc(positive, negative)
        assert row["auc"] == pytest.approx(area)
        assert float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2)) == pytest.approx(area)
        v10 = [sum(psi(x, y) for y in negative) / n for x in positive]
        v01 = [sum(psi(x, y) for x in positive) / m for y in negative]
        variance = sum(sum((v - area) ** 2 for v in vs) / (len(vs) - 1) / len(vs) for vs in (v10, v01))
        placed, group = np.array([[*v10, *v01]]).T, np.repeat([0, 1], [m, n])
        of = contrast(placed, sharing.among(np.array(numbers)), group, (1.0, 1.0)).iloc[0]
        if sharing is ALONE:
            assert of["clustered"] == pytest.approx(of["independent"])
        error = math.sqrt(variance * of["clustered"] / of["independent"])
        reach = t.ppf(0.975, of["df"]) * error
        assert (row["low"], row["high"]) == pytest.approx((area - reach, area + reach))
        assert row["p"] == pytest.approx(2 * t.sf(abs(area - 0.5) / error, of["df"]))


def test_what_says_nothing_of_how_areas_vary_has_no_interval(made: synthetic.Synthetic) -> None:
    """Few of a class, all pairs that share something, margins that are alike or separate the classes."""
    few = pd.Series([[None] * 5] * 9 + [["gender"] * 5] * 81, dtype=object)
    votes = vote_counts(made.pairs)
    separating = made.scores.assign(margin=np.tile(np.nan_to_num(votes), len(made.scores) // 90))
    for table in (
        table_of(made, ratings=few),
        table_of(made, Sharing.of([["word"]] * 90)),
        *(
            agreement_table(made.pairs, decisions(made.pairs, scores), 0.95, ALONE)
            for scores in (made.scores.assign(margin=1.0), separating)
        ),
    ):
        assert table["auc"].notna().all() and table[["low", "high", "p"]].isna().all(axis=None)
    assert (table["auc"] == 1).all()


def test_without_ratings_or_with_one_class_there_is_no_area(tmp_path: Path) -> None:
    made = synthetic.make(12, seed=0)
    one_class = pd.Series([["gender"] * 5] * 12, dtype=object)
    table = table_of(made, ratings=one_class)
    assert table["auc"].isna().all() and set(table["negatives"]) == {0} and table_of(made, ratings=None).empty
    for ratings in (one_class, None):
        pairs = made.pairs.assign(ratings=ratings)
        rows = roc_table(pairs, decisions(pairs, made.scores))
        assert rows.empty
        write_table(tmp_path / "empty.parquet", rows, ROC, {})
