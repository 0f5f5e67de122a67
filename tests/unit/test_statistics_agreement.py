"""Agreement with raters against pair-by-pair definitions."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import synthetic
from study_schema import options_with
from unmask.statistics.agreement import agreement_table, area, curve, roc_table, vote_counts
from unmask.statistics.schema import AGREEMENT, ROC
from unmask.tables import write_table

Scores = st.lists(st.integers(-4, 4).map(float), min_size=2, max_size=12)


def literal_auc(positive: list[float], negative: list[float]) -> float:
    """Mann-Whitney: over all pairs of a positive and a negative, 1 if the positive is higher, ½ if equal."""
    wins = [1.0 if x > y else 0.5 if x == y else 0.0 for x in positive for y in negative]
    return sum(wins) / len(wins)


def literal_delong(positive: list[float], negative: list[float]) -> float:
    """Variance of the area by structural components (DeLong, DeLong & Clarke-Pearson 1988), O(nm)."""

    def psi(x: float, y: float) -> float:
        return 1.0 if x > y else 0.5 if x == y else 0.0

    m, n = len(positive), len(negative)
    auc = literal_auc(positive, negative)
    v10 = [sum(psi(x, y) for y in negative) / n for x in positive]
    v01 = [sum(psi(x, y) for x in positive) / m for y in negative]
    s10 = sum((v - auc) ** 2 for v in v10) / (m - 1)
    s01 = sum((v - auc) ** 2 for v in v01) / (n - 1)
    return s10 / m + s01 / n


@given(Scores, Scores)
def test_area_and_interval_are_the_literal_ones(positive: list[float], negative: list[float]) -> None:
    auc, low, high = area(np.array(positive), np.array(negative), 0.95)
    wanted = literal_auc(positive, negative)
    reach = 1.959963984540054 * math.sqrt(max(0.0, literal_delong(positive, negative)))
    assert auc == pytest.approx(wanted)
    assert low == pytest.approx(max(0.0, wanted - reach), abs=1e-7)
    assert high == pytest.approx(min(1.0, wanted + reach), abs=1e-7)


@given(Scores, Scores)
def test_the_area_lies_under_the_curve(positive: list[float], negative: list[float]) -> None:
    false, true = curve(np.array(positive), np.array(negative))
    assert (false[0], true[0], false[-1], true[-1]) == (0, 0, 1, 1)
    assert (np.diff(false) >= 0).all()
    assert (np.diff(true) >= 0).all()
    trapezoids = float(np.sum(np.diff(false) * (true[1:] + true[:-1]) / 2))
    assert trapezoids == pytest.approx(literal_auc(positive, negative))


@given(Scores, Scores)
def test_the_curve_keeps_every_corner(positive: list[float], negative: list[float]) -> None:
    """Each threshold's rates lie on the curve, though only corners are kept."""
    false, true = curve(np.array(positive), np.array(negative))
    for threshold in {*positive, *negative}:
        x = sum(score >= threshold for score in negative) / len(negative)
        y = sum(score >= threshold for score in positive) / len(positive)
        on = [
            abs((x - x0) * (y1 - y0) - (y - y0) * (x1 - x0)) < 1e-12
            and x0 - 1e-12 <= x <= x1 + 1e-12
            and y0 - 1e-12 <= y <= y1 + 1e-12
            for x0, x1, y0, y1 in zip(false, false[1:], true, true[1:], strict=False)
        ]
        assert any(on)


def test_a_single_pair_in_a_class_has_no_interval() -> None:
    auc, low, high = area(np.array([1.0]), np.array([0.0, 2.0]), 0.95)
    assert auc == 0.5
    assert math.isnan(low)
    assert math.isnan(high)


def test_votes_any_and_own() -> None:
    pairs = pd.DataFrame(
        {
            "bias_type": ["age", "age", "race"],
            "ratings": [["age", None, "race", "age", None], [None] * 5, None],
        }
    )
    assert list(vote_counts(pairs, "any")[:2]) == [3, 0]
    assert list(vote_counts(pairs, "own")[:2]) == [2, 0]
    assert math.isnan(vote_counts(pairs, "any")[2])


def literal_reading(
    made: synthetic.Synthetic,
    measure: str,
    protocol: str,
    votes: str,
    threshold: int,
    score: str,
    direction: str,
) -> tuple[list[float], list[float]]:
    """(positive, negative) scores of one reading, pair by pair."""
    rows = {
        row["pair_id"]: row
        for row in made.scores.to_dict("records")
        if row["measure"] == measure and row["protocol"] == protocol
    }
    positive: list[float] = []
    negative: list[float] = []
    for pair in made.pairs.to_dict("records"):
        row = rows[pair["pair_id"]]
        if pair["ratings"] is None or row["outcome"] == "undefined":
            continue
        if direction not in ("all", pair["direction"]):
            continue
        count = 0
        for vote in pair["ratings"]:
            if vote is not None and (votes == "any" or vote == pair["bias_type"]):
                count += 1
        value = {
            "margin": row["margin"],
            "absolute margin": abs(row["margin"]),
            "decision": {"stereotype": 1.0, "tie": 0.5, "antistereotype": 0.0}[str(row["outcome"])],
        }[score]
        (positive if count >= threshold else negative).append(value)
    return positive, negative


@pytest.fixture(scope="module")
def made() -> synthetic.Synthetic:
    return synthetic.make(90, seed=5)


def test_every_reading_is_the_literal_one(made: synthetic.Synthetic, tmp_path: object) -> None:
    table = agreement_table(made.pairs, made.scores, options_with())
    # measures × protocols × votes × thresholds × scores × directions
    assert len(table) == 7 * 2 * 2 * 3 * 3 * 3
    for row in table[table["measure"].isin(["AUL", "CPS"])].to_dict("records"):
        reading = [row[key] for key in ("measure", "protocol", "votes", "threshold", "score", "direction")]
        positive, negative = literal_reading(made, *reading)
        assert (row["positives"], row["negatives"]) == (len(positive), len(negative))
        if positive and negative:
            assert row["auc"] == pytest.approx(literal_auc(positive, negative))
        else:
            assert pd.isna(row["auc"])
            assert str(row["reason"]).startswith("no ")
    write_table(f"{tmp_path}/agreement.parquet", table, AGREEMENT, {})


def test_no_margin_is_turned_round_for_an_antistereo_pair(made: synthetic.Synthetic) -> None:
    """Calling every pair by the other direction exchanges both directions and nothing else."""
    turned = made.pairs.assign(
        direction=made.pairs["direction"].map({"stereo": "antistereo", "antistereo": "stereo"})
    )
    keys = ["measure", "protocol", "votes", "threshold", "score"]
    one = agreement_table(made.pairs, made.scores, options_with()).set_index([*keys, "direction"])["auc"]
    other = agreement_table(turned, made.scores, options_with()).set_index([*keys, "direction"])["auc"]
    for here, there in (("all", "all"), ("stereo", "antistereo"), ("antistereo", "stereo")):
        pd.testing.assert_series_equal(
            one.xs(here, level="direction"), other.xs(there, level="direction"), check_index=True
        )


def test_an_antistereo_pair_counts_for_its_stereotype() -> None:
    """Two rated antistereo pairs: the one with the higher margin is the positive one, so the area is 1."""
    made = synthetic.make(4, seed=0)
    ratings = pd.Series([["gender"] * 5, [None] * 5, ["gender"] * 5, [None] * 5], dtype=object)
    pairs = made.pairs.assign(direction="antistereo", ratings=ratings)
    margin = [2.0, -1.0, 1.0, -2.0]
    scores = made.scores[made.scores["measure"] == "AUL"].assign(
        margin=margin * 2, outcome=["stereotype", "antistereotype"] * 4
    )
    table = agreement_table(pairs, scores, options_with())
    chosen = table[(table["votes"] == "any") & (table["score"] == "margin")]
    assert (chosen["auc"] == 1.0).all()
    assert set(chosen["direction"]) == {"all", "antistereo"}


def test_the_curves_are_those_of_the_chosen_reading(made: synthetic.Synthetic, tmp_path: object) -> None:
    options = options_with(votes="own", threshold=3)
    table = roc_table(made.pairs, made.scores, options)
    chosen = agreement_table(made.pairs, made.scores, options).query("chosen")
    assert set(chosen["votes"]) == {"own"}
    assert set(chosen["threshold"]) == {3}
    assert len(chosen) == 14
    for row in chosen.to_dict("records"):
        points = table[(table["measure"] == row["measure"]) & (table["protocol"] == row["protocol"])]
        x, y = points["false_positive_rate"].to_numpy(), points["true_positive_rate"].to_numpy()
        assert float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2)) == pytest.approx(row["auc"])
    write_table(f"{tmp_path}/roc.parquet", table, ROC, {})


def test_one_class_alone_has_no_area() -> None:
    made = synthetic.make(12, seed=0)
    pairs = made.pairs.assign(ratings=pd.Series([["gender"] * 5] * 12, dtype=object))
    table = agreement_table(pairs, made.scores, options_with())
    any_votes = table[table["votes"] == "any"]
    assert any_votes["auc"].isna().all()
    assert set(any_votes["reason"]) == {"no negative pairs"}
    assert roc_table(pairs, made.scores, options_with()).empty


def test_without_ratings_the_tables_are_empty(tmp_path: object) -> None:
    made = synthetic.make(12, seed=0, rated=False)
    for schema, rows in (
        (AGREEMENT, agreement_table(made.pairs, made.scores, options_with())),
        (ROC, roc_table(made.pairs, made.scores, options_with())),
    ):
        assert rows.empty
        write_table(f"{tmp_path}/empty.parquet", rows, schema, {})
