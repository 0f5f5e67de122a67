"""Slopes against normal equations written out, and doses against a loop over pairs."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from planted_models import follows, made_pairs, member, observed
from unmask.calibration.dose_response import dose_response
from unmask.calibration.schema import DOSES
from unmask.calibration.slopes import association_slopes, frequency_slopes, least_squares
from unmask.tables import as_table

CELL = ["factor", "p", "ratio", "direction", "longer_side"]


def literal_slope(points: list[tuple[float, float]]) -> float:
    """Of y on x, with an intercept."""
    n = len(points)
    x, y = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def test_slopes_are_those_that_were_planted() -> None:
    one = observed({"CPS": follows(1.0), "SSS": follows(0.5, 2.0), "AllMasked": follows(0.0, 0.2)})
    odds, ratio = association_slopes(one, 0.95), frequency_slopes(one, 0.95)
    assert {m: s.value for m, s in odds.items()} == pytest.approx({"AllMasked": 0, "CPS": 1, "SSS": 0.5})
    assert {m: s.value for m, s in ratio.items()} == pytest.approx({"AllMasked": 0.2, "CPS": 0, "SSS": 2})
    assert {m for m, s in odds.items() if s.is_none()} == {"AllMasked"}


def test_slopes_are_literal_least_squares_through_means_of_units() -> None:
    # occupations have unequally many pairs, and one pair is undefined
    pairs = made_pairs()
    pairs = pairs[np.random.default_rng(1).random(len(pairs)) < 0.7].reset_index(drop=True)
    one = observed({"CPS": follows(1.0, 0.3, noise=1.0)}, pairs)
    margin = one.margin[:, 0].copy()
    margin[3] = np.nan
    one = replace(one, margin=margin[:, None], trial=~np.isnan(margin)[:, None])

    own: dict[tuple[object, ...], list[float]] = {}
    for place, pair in enumerate(pairs.to_dict("records")):
        if np.isnan(margin[place]):
            continue
        if pair["factor"] == "association":
            own.setdefault((pair["unit"], np.log(pair["p"] / (1 - pair["p"]))), []).append(margin[place])
        if pair["factor"] == "frequency":
            sign = -1 if pair["direction"] == "stereo" else 1
            key = "of groups", pair["unit"], pair["direction"], sign * np.log(pair["ratio"])
            own.setdefault(key, []).append(margin[place])
    means = {key: sum(values) / len(values) for key, values in own.items()}
    of_odds = [(float(str(key[1])), mean) for key, mean in means.items() if key[0] != "of groups"]
    of_ratio = [(float(str(key[3])), mean) for key, mean in means.items() if key[0] == "of groups"]
    assert association_slopes(one, 0.95)["CPS"].value == pytest.approx(literal_slope(of_odds))
    assert frequency_slopes(one, 0.95)["CPS"].value == pytest.approx(literal_slope(of_ratio))


def test_intervals_of_slopes_hold_the_truth_as_often_as_they_say() -> None:
    rng, x = np.random.default_rng(2), np.repeat([0.0, 0.4, 1.1, 2.2], 6)
    held = 0
    for _ in range(1000):
        slope = least_squares(x, 0.7 * x + rng.normal(size=24), 0.95)
        assert slope is not None
        held += slope.low <= 0.7 <= slope.high
    assert 930 < held < 970


def test_no_slope_without_two_doses() -> None:
    pairs = made_pairs(associations=[0.75], ratios=[1])
    one = observed({"CPS": follows(1.0, noise=0.1)}, pairs)
    assert association_slopes(one, 0.95) == frequency_slopes(one, 0.95) == {}
    none = observed({"AULA": lambda rows: np.full(len(rows), np.nan)})
    assert association_slopes(none, 0.95) == {}
    assert least_squares(np.array([0.0, 1.0]), np.array([0.0, 2.0]), 0.95) == pytest.approx(
        (2.0, np.nan, np.nan), nan_ok=True
    )


def test_every_cell_has_its_pairs_score_and_margin() -> None:
    one = observed({"AUL": follows(0.1, 0.5, noise=1.0), "CPS": follows(1.0)})
    table = dose_response([one], 0.95)
    as_table(table, DOSES)
    cells = one.pairs.groupby(CELL, dropna=False).size()
    assert len(table) == 2 * len(cells)
    assert table[table["measure"] == "AUL"]["pairs"].sum() == len(one.pairs)
    for row in table.to_dict("records"):
        members = [
            place
            for place, pair in enumerate(one.pairs[CELL].to_dict("records"))
            if all(pair[k] == row[k] or (pd.isna(pair[k]) and pd.isna(row[k])) for k in CELL)
        ]
        column = one.measures.index(row["measure"])
        credit, margin = one.credit[members, column], one.margin[members, column]
        assert row["pairs"] == len(members)
        assert row["units"] == len(set(one.pairs["unit"].iloc[members]))
        assert row["score"] == pytest.approx(100 * sum(credit) / len(members))
        assert row["margin"] == pytest.approx(sum(margin) / len(members))
        # a single unit has no interval, nor have pairs that all tie
        assert np.isnan(row["low"]) == (row["units"] == 1 or bool((credit == 0.5).all()))
    both = table[(table["factor"] == "longer") & (table["measure"] == "AUL")]
    assert set(both["longer_side"]) == {"stereotype", "antistereotype"}


def test_theory_is_the_oracle_of_the_same_world() -> None:
    bare = made_pairs()
    of = {"CPS": follows(1.0)}
    members = [
        observed({"CPS": follows(2.0)}, bare, member("oracle", "oracle")),
        observed({"CPS": follows(3.0)}, bare, member("other", "oracle", family="v")),
        observed(of, bare, member("m")),
        observed(of, bare, member("even", "balanced")),
        observed(of, bare, member("alone", family="u")),
    ]
    table = dose_response(list(reversed(members)), 0.95)
    own = table[(table["model"] == "m") & (table["p"] == 0.9)]
    assert own["theory"].to_numpy() == pytest.approx(2 * np.log(9))
    assert own["margin"].to_numpy() == pytest.approx(np.log(9))
    assert table[table["model"].isin(["even", "alone"])]["theory"].isna().all()
    assert table[table["model"] == "other"]["theory"].max() == pytest.approx(3 * np.log(9))


def test_an_undefined_measure_has_rows_without_numbers() -> None:
    none = observed({"AULA": lambda rows: np.full(len(rows), np.nan)})
    table = dose_response([none], 0.95)
    assert len(table)
    assert table[["score", "low", "margin", "margin_low"]].isna().all(axis=None)
