"""Agreement with raters against pair-by-pair definitions."""

import math
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
    AREAS_COMPARED,
    ROC,
    Sharing,
    agreement_table,
    area_test,
    areas_compared,
    curve,
    decisions,
    placements,
    roc_table,
    vote_counts,
    write_table,
)
from study_schema import MEASURES, options_with

Scores = st.lists(st.integers(-4, 4).map(float), min_size=2, max_size=12)


def literal_auc(positive: list[float], negative: list[float]) -> float:
    """Mann-Whitney: over all pairs of a positive and a negative, 1 if the positive is higher, ½ if equal."""
    wins = [1.0 if x > y else 0.5 if x == y else 0.0 for x in positive for y in negative]
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


def alone(made: synthetic.Synthetic) -> Sharing:
    """Pairs that share nothing."""
    return Sharing.of([()] * len(made.pairs))


def in_threes(made: synthetic.Synthetic) -> Sharing:
    """Three neighbouring pairs share a node, and every tenth another."""
    return Sharing.of([(i // 3, "tenth" if i % 10 == 0 else -i) for i in range(len(made.pairs))])


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
    table = agreement_table(made.pairs, decisions(made.pairs, made.scores), options_with(), alone(made))
    # measures × protocols × votes × thresholds × scores × directions
    assert len(table) == len(MEASURES) * 2 * 2 * 3 * 3 * 3
    for row in table[table["measure"].isin(["AUL", "CPS"])].to_dict("records"):
        reading = [row[key] for key in ("measure", "protocol", "votes", "threshold", "score", "direction")]
        positive, negative = literal_reading(made, *reading)
        assert (row["positives"], row["negatives"]) == (len(positive), len(negative))
        if positive and negative:
            assert row["auc"] == pytest.approx(literal_auc(positive, negative))
            if min(len(positive), len(negative)) < 10:
                assert pd.isna(row["low"]) and row["reason"] == "no interval: fewer than 10 pairs in a class"
            else:
                assert 0 <= row["low"] < row["auc"] < row["high"] <= 1 and pd.isna(row["reason"])
                assert (row["p"] < 0.05) == (row["low"] > 0.5 or row["high"] < 0.5)
        else:
            assert pd.isna(row["auc"])
            assert str(row["reason"]).startswith("no ")
    write_table(f"{tmp_path}/agreement.parquet", table, AGREEMENT, {})


def test_the_curves_are_those_of_the_chosen_reading(made: synthetic.Synthetic, tmp_path: object) -> None:
    table = roc_table(made.pairs, decisions(made.pairs, made.scores))
    areas = agreement_table(made.pairs, decisions(made.pairs, made.scores), options_with(), alone(made))
    chosen = areas.query("chosen")
    assert set(chosen["votes"]) == {"any"} and set(chosen["threshold"]) == {4}
    assert len(chosen) == 2 * len(MEASURES)
    for row in chosen.to_dict("records"):
        points = table[(table["measure"] == row["measure"]) & (table["protocol"] == row["protocol"])]
        x, y = points["false_positive_rate"].to_numpy(), points["true_positive_rate"].to_numpy()
        assert float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2)) == pytest.approx(row["auc"])
    write_table(f"{tmp_path}/roc.parquet", table, ROC, {})


def test_one_class_alone_has_no_area() -> None:
    made = synthetic.make(12, seed=0)
    pairs = made.pairs.assign(ratings=pd.Series([["gender"] * 5] * 12, dtype=object))
    table = agreement_table(pairs, decisions(pairs, made.scores), options_with(), alone(made))
    any_votes = table[table["votes"] == "any"]
    assert any_votes["auc"].isna().all()
    assert set(any_votes["reason"]) == {"no negative pairs"}
    assert roc_table(pairs, decisions(pairs, made.scores)).empty


def test_without_ratings_the_tables_are_empty(tmp_path: object) -> None:
    made = synthetic.make(12, seed=0, rated=False)
    given = made.pairs, decisions(made.pairs, made.scores), options_with()
    for schema, rows in (
        (AGREEMENT, agreement_table(*given, alone(made))),
        (ROC, roc_table(*given[:2])),
        (AREAS_COMPARED, areas_compared(*given, alone(made))),
    ):
        assert rows.empty
        write_table(f"{tmp_path}/empty.parquet", rows, schema, {})


def test_areas_and_variances_are_the_literal_ones() -> None:
    """DeLong's variance by enumeration; of pairs that share nothing the clustered one is the same."""
    rng = np.random.default_rng(0)
    for m, n, values in ((10, 14, 4), (12, 40, 9), (30, 11, 1000)):
        positive = np.arange(m + n) < m
        scores = rng.integers(0, values, m + n) + 0.3 * positive
        (row,) = area_test(
            placements(scores[:, None], positive), positive, Sharing.of([()] * (m + n)), 0.95, 0.5
        ).to_dict("records")
        yes, no = scores[:m].tolist(), scores[m:].tolist()
        _, variance = literal_paired_delong([*yes, *no], [0.0] * (m + n), positive.tolist())
        assert row["area"] == pytest.approx(literal_auc(yes, no))
        assert (row["delong_error"], row["error"]) == pytest.approx((math.sqrt(variance),) * 2)
        assert row["p"] == pytest.approx(2 * t.sf(abs(row["area"] - 0.5) / row["error"], row["df"]))
        assert row["high"] - row["area"] == pytest.approx(t.ppf(0.975, row["df"]) * row["error"])


@pytest.mark.parametrize(
    ("positive", "reason"),
    [
        (np.arange(9.0), "no interval: fewer than 10 pairs in a class"),
        (np.arange(20.0) + 100, "no interval: the scores do not vary"),
        (np.zeros(20), "no interval: the scores do not vary"),
    ],
)
def test_an_area_without_an_interval_says_why(positive: Any, reason: str) -> None:
    """Too few of a class, classes that the scores separate, and scores that are all alike."""
    negative = np.zeros(20) if not positive.any() else np.arange(20.0)
    scores, is_positive = np.concatenate([positive, negative]), np.arange(len(positive) + 20) < len(positive)
    placed, sharing = placements(scores[:, None], is_positive), Sharing.of([()] * len(scores))
    (row,) = area_test(placed, is_positive, sharing, 0.95, 0.5).to_dict("records")
    assert row["reason"] == reason and math.isnan(row["low"]) and math.isnan(row["p"])
    assert row["area"] == pytest.approx(literal_auc(positive.tolist(), negative.tolist()))


def literal_paired_delong(
    first: list[float], second: list[float], positive: list[bool]
) -> tuple[float, float]:
    """(difference, variance) of two areas over the same pairs, by S10 and S01 of DeLong, DeLong &
    Clarke-Pearson 1988, O(nm)."""

    def psi(x: float, y: float) -> float:
        return 1.0 if x > y else 0.5 if x == y else 0.0

    yes, no = [i for i, p in enumerate(positive) if p], [i for i, p in enumerate(positive) if not p]
    m, n = len(yes), len(no)
    v10 = [[sum(psi(s[i], s[j]) for j in no) / n for i in yes] for s in (first, second)]
    v01 = [[sum(psi(s[i], s[j]) for i in yes) / m for j in no] for s in (first, second)]
    auc = [sum(v) / m for v in v10]

    def covariance(v: list[list[float]], r: int, s: int) -> float:
        of = zip(v[r], v[s], strict=True)
        return sum((x - auc[r]) * (y - auc[s]) for x, y in of) / (len(v[r]) - 1)

    variance = 0.0
    for r, s, sign in ((0, 0, 1), (1, 1, 1), (0, 1, -2)):
        variance += sign * (covariance(v10, r, s) / m + covariance(v01, r, s) / n)
    return auc[0] - auc[1], variance


def test_areas_are_compared_as_delong_does(made: synthetic.Synthetic, tmp_path: object) -> None:
    table = areas_compared(made.pairs, decisions(made.pairs, made.scores), options_with(), alone(made))
    # every two measures, in two protocols
    assert len(table) == 2 * math.comb(len(MEASURES), 2)
    write_table(f"{tmp_path}/areas.parquet", table, AREAS_COMPARED, {})
    by_key = made.scores.set_index(["measure", "protocol", "pair_id"]).sort_index()["margin"]
    counts = vote_counts(made.pairs, "any")
    for row in table[table["second"].isin(["CPS", "SSS"])].to_dict("records"):
        one, other = (by_key[row[side], row["protocol"]] for side in ("first", "second"))
        kept = [
            (float(one[pair]), float(other[pair]), bool(count >= 4))
            for pair, count in zip(made.pairs["pair_id"], counts, strict=True)
            if not (math.isnan(count) or pd.isna(one[pair]) or pd.isna(other[pair]))
        ]
        first, second, positive = (list(side) for side in zip(*kept, strict=True))
        difference, variance = literal_paired_delong(first, second, positive)
        assert (row["positives"], row["negatives"]) == (sum(positive), len(positive) - sum(positive))
        assert row["difference"] == pytest.approx(difference)
        # independent pairs: the clustered error is DeLong's own
        assert row["delong_error"] == pytest.approx(math.sqrt(variance))
        assert row["error"] == pytest.approx(math.sqrt(variance))
        assert row["p"] == pytest.approx(2 * t.sf(abs(difference) / math.sqrt(variance), row["df"]))
        assert row["df"] < len(kept)


def test_areas_that_cannot_be_tested_say_why() -> None:
    made = synthetic.make(60, seed=2)
    scores = made.scores[made.scores["measure"].isin(["AUL", "AULA", "CPS"])]
    own = scores.loc[(scores["measure"] == "AUL"), "margin"].to_numpy()
    same = scores.assign(margin=scores["margin"].mask(scores["measure"] == "AULA", np.tile(own, 3)))
    flat = scores.assign(margin=scores["margin"].where(scores["measure"] != "CPS", 1.0))
    few = made.pairs.assign(ratings=pd.Series([[None] * 5] * 4 + [["gender"] * 5] * 56, dtype=object))
    one_word = Sharing.of([("word",)] * 60)
    for pairs, rows, sharing, second, reason in (
        (made.pairs, same, alone(made), "AULA", "the two never differ"),
        (made.pairs, flat, alone(made), "CPS", "the scores of one do not vary"),
        (few, scores, alone(made), "AULA", "fewer than 10 pairs in a class"),
        (made.pairs, scores, one_word, "AULA", "all pairs share something"),
    ):
        table = areas_compared(pairs, decisions(pairs, rows), options_with(), sharing)
        table = table[table["second"] == second]
        assert table["p"].isna().all() and set(table["reason"]) == {f"no interval: {reason}"}
