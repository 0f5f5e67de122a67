"""Bias scores against a literal reading of their definition, and what must not change them."""

import math

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import synthetic
from study_schema import options_with
from unmask.errors import InputError
from unmask.statistics import intervals
from unmask.statistics.bias import bias_table
from unmask.statistics.intervals import bootstrap_weights, percentile_interval, wilson
from unmask.statistics.options import Options
from unmask.statistics.schema import BIAS
from unmask.tables import write_table

FEW = options_with(resamples=60, seed=3)


def row_of(table: pd.DataFrame, measure: str, protocol: str, grouping: str, group: str) -> dict[str, float]:
    found = table[
        (table["measure"] == measure)
        & (table["protocol"] == protocol)
        & (table["grouping"] == grouping)
        & (table["group"] == group)
    ]
    assert len(found) == 1
    return {str(key): value for key, value in found.iloc[0].to_dict().items()}


def literal_score(outcomes: list[str], protocol: str) -> float:
    """The definition, one pair after the other."""
    credit, trials = 0.0, 0
    for outcome in outcomes:
        if protocol == "published":
            trials += 1
            if outcome == "stereotype":
                credit += 1
        else:
            if outcome == "undefined":
                continue
            trials += 1
            if outcome == "stereotype":
                credit += 1
            elif outcome == "tie":
                credit += 0.5
    return 100 * credit / trials if trials else float("nan")


def outcomes_of(made: synthetic.Synthetic, measure: str, protocol: str) -> dict[str, tuple[str, float]]:
    rows = made.scores[(made.scores["measure"] == measure) & (made.scores["protocol"] == protocol)]
    return {
        pair: (outcome, margin)
        for pair, outcome, margin in zip(rows["pair_id"], rows["outcome"], rows["margin"], strict=True)
    }


@pytest.mark.parametrize("protocol", ["published", "corrected"])
@pytest.mark.parametrize("measure", ["AUL", "CPS"])
def test_every_group_has_the_literal_score(measure: str, protocol: str) -> None:
    made = synthetic.make(150, seed=1)
    table = bias_table(made.pairs, made.scores, FEW)
    found = outcomes_of(made, measure, protocol)
    other = outcomes_of(made, measure, "corrected" if protocol == "published" else "published")
    groups = [("overall", "all", list(made.pairs["pair_id"]))]
    for column in ("bias_type", "direction"):
        for value in set(made.pairs[column]):
            members = [
                p for p, v in zip(made.pairs["pair_id"], made.pairs[column], strict=True) if v == value
            ]
            groups.append((column, value, members))
    for grouping, group, members in groups:
        row = row_of(table, measure, protocol, grouping, group)
        outcomes = [found[pair][0] for pair in members]
        margins = [found[pair][1] for pair in members if not math.isnan(found[pair][1])]
        assert row["score"] == pytest.approx(literal_score(outcomes, protocol))
        assert row["n"] == len(members)
        for outcome in ("stereotype", "antistereotype", "tie", "undefined"):
            assert row[outcome] == outcomes.count(outcome)
        assert row["margin"] == pytest.approx(sum(margins) / len(margins))
        near = [0 < abs(found[pair][1]) <= synthetic.NEAR for pair in members]
        assert row["near_ties"] == sum(near)
        for end, turned in (("near_low", "antistereotype"), ("near_high", "stereotype")):
            instead = [turned if is_near else o for o, is_near in zip(outcomes, near, strict=True)]
            assert row[end] == pytest.approx(literal_score(instead, protocol))
        assert row["differing"] == sum(found[pair][0] != other[pair][0] for pair in members)
    adv = row_of(table, measure, protocol, "direction", "antistereo")["score"]
    dis = row_of(table, measure, protocol, "direction", "stereo")["score"]
    difference = row_of(table, measure, protocol, "difference", "difference")
    assert difference["score"] == pytest.approx(abs(adv - dis))
    assert math.isnan(difference["wilson_low"])


@pytest.mark.parametrize("unit", ["pair", "target"])
def test_the_bootstrap_is_that_of_resampled_lists_of_pairs(unit: str) -> None:
    made = synthetic.make(40, seed=2)
    options = options_with(resamples=80, seed=5, unit=unit)
    table = bias_table(made.pairs, made.scores, options)
    names = list(made.pairs["pair_id"] if unit == "pair" else made.pairs["target"])
    order = list(dict.fromkeys(names))
    draws = np.random.default_rng(5).multinomial(len(order), [1 / len(order)] * len(order), size=80)
    found = outcomes_of(made, "SSS", "corrected")
    scores, differences, margins = [], [], []
    for draw in draws:
        drawn: list[int] = []
        for unit_name, times in zip(order, draw, strict=True):
            drawn += [row for row, name in enumerate(names) if name == unit_name] * int(times)
        pairs = [(made.pairs["pair_id"][row], made.pairs["direction"][row]) for row in drawn]
        scores.append(literal_score([found[pair][0] for pair, _ in pairs], "corrected"))
        sides = [
            literal_score([found[pair][0] for pair, way in pairs if way == side], "corrected")
            for side in ("stereo", "antistereo")
        ]
        differences.append(abs(sides[0] - sides[1]))
        margins.append(np.mean([found[pair][1] for pair, _ in pairs if not math.isnan(found[pair][1])]))
    row = row_of(table, "SSS", "corrected", "overall", "all")
    assert [row["bootstrap_low"], row["bootstrap_high"]] == pytest.approx(
        list(np.quantile(scores, [0.025, 0.975]))
    )
    assert [row["margin_low"], row["margin_high"]] == pytest.approx(
        list(np.quantile(margins, [0.025, 0.975]))
    )
    row = row_of(table, "SSS", "corrected", "difference", "difference")
    assert [row["bootstrap_low"], row["bootstrap_high"]] == pytest.approx(
        list(np.nanquantile(differences, [0.025, 0.975]))
    )


def all_weights(units: npt.NDArray[np.int64], seed: int) -> npt.NDArray[np.float64]:
    return np.concatenate(list(bootstrap_weights(units, 50, seed)))


def test_rows_of_one_unit_are_drawn_together() -> None:
    units = np.array([0, 0, 1, 2, 2, 2])
    weights = all_weights(units, seed=0)
    assert weights.shape == (50, 6)
    assert (weights[:, 0] == weights[:, 1]).all()
    assert (weights[:, 3] == weights[:, 4]).all()
    assert (weights[:, [0, 2, 3]].sum(axis=1) == 3).all()
    assert len(np.unique(weights, axis=0)) > 1
    assert (all_weights(units, seed=0) == weights).all()
    assert not (all_weights(units, seed=1) == weights).all()


@pytest.mark.parametrize("at_once", [1, 17, 600, 9000])
def test_how_many_weights_are_drawn_at_once_changes_nothing(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = synthetic.make(300, seed=3)
    units = np.arange(300) // 2
    whole, table = all_weights(units, seed=4), bias_table(made.pairs, made.scores, FEW)
    assert whole.size == 15_000
    monkeypatch.setattr(intervals, "WEIGHTS_AT_ONCE", at_once)
    parts = list(bootstrap_weights(units, 50, seed=4))
    assert len(parts) == math.ceil(50 / max(1, at_once // 300))
    assert max(part.size for part in parts) <= max(at_once, 300)
    assert (np.concatenate(parts) == whole).all()
    again = bias_table(made.pairs, made.scores, FEW)
    pd.testing.assert_frame_equal(again, table, rtol=1e-12, atol=1e-12)


@given(st.integers(0, 60), st.integers(1, 60), st.sampled_from([0.9, 0.95, 0.99]))
def test_wilson_solves_its_equation(count: int, n: int, confidence: float) -> None:
    """Its ends are the proportions p at which |count/n - p| is z standard errors of p (Wilson 1927)."""
    count = min(count, n)
    low, high = wilson(count, n, confidence)
    z = {0.9: 1.6448536269514722, 0.95: 1.959963984540054, 0.99: 2.5758293035489004}[confidence]
    for end in (low / 100, high / 100):
        assert abs(count / n - end) == pytest.approx(z * math.sqrt(end * (1 - end) / n), abs=1e-7)
    assert 0 <= low <= 100 * count / n + 1e-9
    assert 100 * count / n - 1e-9 <= high <= 100


def test_intervals_of_nothing_are_null() -> None:
    assert all(math.isnan(end) for end in wilson(0, 0, 0.95))
    low, high = percentile_interval(np.array([[np.nan, 1.0], [np.nan, 3.0]]), 0.5)
    assert math.isnan(low[0])
    assert math.isnan(high[0])
    assert (low[1], high[1]) == (1.5, 2.5)


def test_bootstrap_and_wilson_agree_on_many_pairs() -> None:
    made = synthetic.make(1500, seed=4)
    table = bias_table(made.pairs, made.scores, options_with(resamples=1000))
    overall = table[(table["grouping"] == "overall") & (table["protocol"] == "published")]
    assert (overall["bootstrap_low"] - overall["wilson_low"]).abs().max() < 0.8
    assert (overall["bootstrap_high"] - overall["wilson_high"]).abs().max() < 0.8


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_swapping_sides_mirrors_the_corrected_score(seed: int) -> None:
    made = synthetic.make(30, seed)
    turned = {"stereotype": "antistereotype", "antistereotype": "stereotype"}
    swapped = made.scores.assign(
        stereotype=made.scores["antistereotype"],
        antistereotype=made.scores["stereotype"],
        margin=-made.scores["margin"],
        outcome=made.scores["outcome"].replace(turned),
    )
    one = bias_table(made.pairs, made.scores, FEW)
    other = bias_table(made.pairs, swapped, FEW)
    corrected = (one["protocol"] == "corrected") & (one["grouping"] != "difference")
    np.testing.assert_allclose(one["score"][corrected], 100 - other["score"][corrected])
    np.testing.assert_allclose(one["bootstrap_low"][corrected], 100 - other["bootstrap_high"][corrected])
    wilson_low, mirrored = one["wilson_low"][corrected], 100 - other["wilson_high"][corrected]
    np.testing.assert_allclose(wilson_low, mirrored, atol=1e-9)
    np.testing.assert_allclose(one["margin"], -other["margin"])


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000))
def test_the_order_of_score_rows_changes_nothing(seed: int) -> None:
    made = synthetic.make(25, seed)
    mixed = made.scores.sample(frac=1, random_state=seed)
    keys = ["measure", "protocol", "grouping", "group"]
    one = bias_table(made.pairs, made.scores, FEW).sort_values(keys, ignore_index=True)
    other = bias_table(made.pairs, mixed, FEW).sort_values(keys, ignore_index=True)
    pd.testing.assert_frame_equal(one, other)


def test_an_indifferent_model_scores_50_corrected_and_0_published() -> None:
    made = synthetic.make(20, seed=0)
    tied = made.scores.assign(
        margin=0.0,
        antistereotype=made.scores["stereotype"],
        **dict.fromkeys(("outcome", "lowest", "highest"), "tie"),
    )
    overall = bias_table(made.pairs, tied, FEW).query("grouping == 'overall'")
    assert set(overall.loc[overall["protocol"] == "corrected", "score"]) == {50.0}
    assert set(overall.loc[overall["protocol"] == "published", "score"]) == {0.0}
    assert set(overall["near_ties"]) == {0}


def test_direction_only_chooses_pairs() -> None:
    """Calling every pair by the other direction exchanges Adv and Dis and changes no score."""
    made = synthetic.make(80, seed=6)
    turned = made.pairs.assign(
        direction=made.pairs["direction"].map({"stereo": "antistereo", "antistereo": "stereo"})
    )
    one, other = (bias_table(pairs, made.scores, FEW) for pairs in (made.pairs, turned))
    for protocol in ("published", "corrected"):
        adv = row_of(one, "AUL", protocol, "direction", "antistereo")
        assert adv["score"] == row_of(other, "AUL", protocol, "direction", "stereo")["score"]
        assert (
            row_of(one, "AUL", protocol, "overall", "all")["score"]
            == row_of(other, "AUL", protocol, "overall", "all")["score"]
        )


def test_without_directions_there_is_no_difference(tmp_path: object) -> None:
    made = synthetic.make(20, seed=0, directed=False)
    table = bias_table(made.pairs, made.scores, FEW)
    assert set(table["grouping"]) == {"overall", "bias_type"}
    write_table(f"{tmp_path}/bias.parquet", table, BIAS, {})


def test_nothing_defined_has_no_score() -> None:
    made = synthetic.make(12, seed=0)
    blank = made.scores.assign(margin=np.nan, outcome="undefined")
    table = bias_table(made.pairs, blank, FEW)
    assert set(table["protocol"]) == {"published", "corrected"}
    for column in ("score", "wilson_low", "wilson_high", "bootstrap_low", "bootstrap_high", "margin"):
        assert table[column].isna().all()


def test_a_group_without_a_defined_pair_scores_0_published() -> None:
    """Only a measure that is undefined everywhere has no published score: N is fixed otherwise."""
    made = synthetic.make(30, seed=0)
    ages = made.pairs.loc[made.pairs["bias_type"] == "age", "pair_id"]
    of_ages = made.scores["pair_id"].isin(ages)
    blank = made.scores.assign(
        margin=made.scores["margin"].mask(of_ages), outcome=made.scores["outcome"].mask(of_ages, "undefined")
    )
    table = bias_table(made.pairs, blank, FEW)
    assert row_of(table, "AUL", "published", "bias_type", "age")["score"] == 0
    assert math.isnan(row_of(table, "AUL", "corrected", "bias_type", "age")["score"])


def test_scores_of_other_pairs_are_refused() -> None:
    made = synthetic.make(10, seed=0)
    with pytest.raises(InputError, match=r"AUL \(published\) has not one row for each pair"):
        bias_table(made.pairs, made.scores[1:], FEW)
    with pytest.raises(InputError, match="unknown outcome 'maybe'"):
        bias_table(made.pairs, made.scores.assign(outcome="maybe"), FEW)


def test_a_bootstrap_by_target_without_targets_is_by_pair() -> None:
    made = synthetic.make(10, seed=0)
    pairs = made.pairs.assign(target=None)
    table = bias_table(pairs, made.scores, options_with(resamples=5, unit="target"))
    pd.testing.assert_frame_equal(table, bias_table(pairs, made.scores, options_with(resamples=5)))
    assert set(table["bootstrap_unit"]) == {"pair"}


def test_a_bootstrap_by_target_needs_all_targets() -> None:
    made = synthetic.make(10, seed=0)
    pairs = made.pairs.assign(target=made.pairs["target"].where(made.pairs["pair_id"] != "p0"))
    with pytest.raises(InputError, match="pair p0 has no target"):
        bias_table(pairs, made.scores, options_with(resamples=5, unit="target"))


def test_options_are_those_of_the_study() -> None:
    entry = {
        "alpha": 0.05,
        "confidence": 0.9,
        "pairing": "sentence",
        "ratings": {"votes": "own", "threshold": 3, "score": "decision"},
        "bootstrap": {"resamples": 100, "seed": 7, "unit": "target"},
    }
    assert Options.from_config(entry) == Options(0.9, 100, 7, "target", "sentence", "own", 3, "decision")
