"""Two measures, or two models, on the same pairs: against slow computations of the same numbers."""

import math
from collections.abc import Hashable, Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t
from statsmodels.stats.contingency_tables import mcnemar

import synthetic
from study_schema import MEASURES
from unmask.report.sheets import rows_of
from unmask.statistics import comparisons
from unmask.statistics.comparisons import measures_compared
from unmask.statistics.decisions import decisions
from unmask.statistics.dependence import Dependence
from unmask.statistics.schema import COMPARISONS
from unmask.statistics.student import student
from unmask.tables import write_table

N = 90
ALONE = Dependence.of([()] * N)
TOGETHER = Dependence.of([(i // 3, "tenth" if i % 10 == 0 else -i) for i in range(N)])
Outcomes = dict[tuple[str, str], dict[str, str]]


def models_compared(
    pairs: pd.DataFrame,
    scores: dict[str, pd.DataFrame],
    dependence: Dependence,
    confidence: float,
    headlines: dict[str, str] | None = None,
) -> pd.DataFrame:
    of_models = {model: decisions(pairs, own) for model, own in scores.items()}
    return comparisons.models_compared(of_models, dependence, confidence, headlines)


@pytest.fixture(scope="module")
def made() -> synthetic.Synthetic:
    return synthetic.make(N, seed=11)


@pytest.fixture(scope="module")
def models(made: synthetic.Synthetic) -> dict[str, pd.DataFrame]:
    """The scores of three models on the same pairs."""
    rng = np.random.default_rng(12)
    return {"one": made.scores} | {name: synthetic.make_scores(made.pairs, rng) for name in ("two", "three")}


def outcomes_in(scores: pd.DataFrame) -> Outcomes:
    found: Outcomes = {}
    for row in scores.to_dict("records"):
        found.setdefault((row["measure"], row["protocol"]), {})[row["pair_id"]] = row["outcome"]
    return found


def credit(outcome: str, protocol: str) -> float | None:
    """In percent; None where a pair does not count."""
    if protocol == "published":
        return 100.0 if outcome == "stereotype" else 0.0
    return {"stereotype": 100.0, "tie": 50.0, "antistereotype": 0.0}.get(outcome)


def check(
    row: Mapping[Hashable, Any],
    first: dict[str, str],
    second: dict[str, str],
    ids: list[str],
    dependence: Dependence,
) -> None:
    """A row against one pair at a time; clustered errors by Dependence.variance of literal residuals."""
    protocol = row["protocol"]
    members = [
        i
        for i, pair in enumerate(ids)
        if credit(first[pair], protocol) is not None and credit(second[pair], protocol) is not None
    ]
    n = len(members)
    own = [float(credit(first[ids[i]], protocol) or 0) for i in members]
    other = [float(credit(second[ids[i]], protocol) or 0) for i in members]
    assert row["n"] == n
    assert (row["first_score"], row["second_score"]) == pytest.approx((sum(own) / n, sum(other) / n))
    d = [x - y for x, y in zip(own, other, strict=True)]
    mean = sum(d) / n
    assert row["difference"] == pytest.approx(mean)
    classical = sum((x - mean) ** 2 for x in d) / (n - 1) / n
    assert row["independent_error"] == pytest.approx(math.sqrt(classical))
    among = dependence.among(np.array(members))
    weights, one_group = np.full(n, 1 / n), np.zeros(n, np.int64)
    found = among.variance(np.array([[x - mean] for x in d]), weights, one_group)
    error = math.sqrt(found.clustered[0])
    df = min(found.df, sum(x != 0 for x in d) - 1)
    assert (row["error"], row["df"]) == pytest.approx((error, df))
    assert row["p"] == pytest.approx(2 * t.sf(abs(mean) / error, df))
    reach = t.ppf(0.975, df) * error
    assert (row["low"], row["high"]) == pytest.approx((mean - reach, mean + reach))

    x = [first[ids[i]] == "stereotype" for i in members]
    y = [second[ids[i]] == "stereotype" for i in members]
    both, b = sum(p and q for p, q in zip(x, y, strict=True)), sum(p > q for p, q in zip(x, y, strict=True))
    c = sum(q > p for p, q in zip(x, y, strict=True))
    assert (row["both"], row["b"], row["c"], row["neither"]) == (both, b, c, n - both - b - c)
    assert row["agreement"] == pytest.approx(100 * (n - b - c) / n)
    table = [[both, b], [c, n - both - b - c]]
    tested = mcnemar(table, exact=b + c < 25)
    assert row["p_mcnemar"] == pytest.approx(tested.pvalue)


@pytest.mark.parametrize("dependence", [ALONE, TOGETHER], ids=["alone", "together"])
def test_measures_are_compared_pair_by_pair(
    made: synthetic.Synthetic, dependence: Dependence, tmp_path: object
) -> None:
    table = measures_compared(decisions(made.pairs, made.scores), dependence, 0.95)
    assert [(row.first, row.second, row.protocol) for row in rows_of(table)] == [
        (first, second, protocol)
        for first, protocol in [(m, p) for m in MEASURES for p in ("published", "corrected")]
        for second in MEASURES[MEASURES.index(first) + 1 :]
    ]
    outcomes, ids = outcomes_in(made.scores), list(made.pairs["pair_id"])
    for row in table.to_dict("records"):
        protocol = row["protocol"]
        check(row, outcomes[row["first"], protocol], outcomes[row["second"], protocol], ids, dependence)
    # in corrected, pairs are left out for either measure
    assert table.loc[table["protocol"] == "corrected", "n"].nunique() > 3
    write_table(f"{tmp_path}/measures.parquet", table, COMPARISONS, {})


def test_models_are_compared_pair_by_pair(
    made: synthetic.Synthetic, models: dict[str, pd.DataFrame], tmp_path: object
) -> None:
    table = models_compared(made.pairs, models, TOGETHER, 0.95)
    assert len(table) == 3 * 2 * len(MEASURES)
    outcomes, ids = (
        {name: outcomes_in(scores) for name, scores in models.items()},
        list(made.pairs["pair_id"]),
    )
    for row in table.to_dict("records"):
        key = row["measure"], row["protocol"]
        check(row, outcomes[row["first"]][key], outcomes[row["second"]][key], ids, TOGETHER)
    assert list(table[["first", "second"]].drop_duplicates().itertuples(index=False, name=None)) == list(
        combinations(models, 2)
    )
    write_table(f"{tmp_path}/models.parquet", table, COMPARISONS, {})


def test_many_at_a_time_are_few_at_a_time(
    made: synthetic.Synthetic, models: dict[str, pd.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = models_compared(made.pairs, models, TOGETHER, 0.95)
    monkeypatch.setattr("unmask.statistics.dependence.VALUES_AT_ONCE", 2 * len(made.pairs))
    pd.testing.assert_frame_equal(models_compared(made.pairs, models, TOGETHER, 0.95), whole)


def test_turning_a_comparison_turns_the_difference(
    made: synthetic.Synthetic, models: dict[str, pd.DataFrame]
) -> None:
    one = models_compared(made.pairs, models, TOGETHER, 0.95)
    other = models_compared(made.pairs, dict(reversed(models.items())), TOGETHER, 0.95)
    keys = ["first", "second", "measure", "protocol"]
    mirror = other.rename(columns={"first": "second", "second": "first"}).set_index(keys)
    mirror = mirror.loc[pd.MultiIndex.from_frame(one[keys])].reset_index()
    for here, there, sign in (
        ("difference", "difference", -1),
        ("low", "high", -1),
        ("high", "low", -1),
        ("first_score", "second_score", 1),
        ("b", "c", 1),
        ("error", "error", 1),
        ("p", "p", 1),
        ("p_mcnemar", "p_mcnemar", 1),
    ):
        assert list(one[here]) == pytest.approx(list(sign * mirror[there]), nan_ok=True), here


def test_a_model_against_itself_differs_by_nothing(made: synthetic.Synthetic) -> None:
    table = models_compared(made.pairs, {"one": made.scores, "twin": made.scores}, TOGETHER, 0.95)
    assert (table["difference"] == 0).all() and (table["agreement"] == 100).all()
    assert table[["p", "error", "independent_error", "low", "high", "df"]].isna().all(axis=None)
    assert table["p_mcnemar"].isna().all()


def test_the_order_of_pairs_changes_nothing(
    made: synthetic.Synthetic, models: dict[str, pd.DataFrame]
) -> None:
    order = np.random.default_rng(3).permutation(N)
    pairs = made.pairs.iloc[order].reset_index(drop=True)
    mixed = {name: scores.sample(frac=1, random_state=4) for name, scores in models.items()}
    keys = ["first", "second", "measure", "protocol"]
    one, other = (
        table.sort_values(keys).reset_index(drop=True)
        for table in (
            models_compared(made.pairs, models, TOGETHER, 0.95),
            models_compared(pairs, mixed, TOGETHER.among(order), 0.95),
        )
    )
    pd.testing.assert_frame_equal(one, other)


def test_copies_of_pairs_add_nothing(made: synthetic.Synthetic) -> None:
    """Pairs five times over: independent errors shrink, clustered ones hardly."""
    pairs, scores = (
        pd.concat([frame.assign(pair_id=frame["pair_id"] + f"-{i}") for i in range(5)], ignore_index=True)
        for frame in (made.pairs, made.scores)
    )
    copies = Dependence.of([(row % N,) for row in range(5 * N)])
    one = measures_compared(decisions(made.pairs, made.scores), ALONE, 0.95)
    five = measures_compared(decisions(pairs, scores), copies, 0.95)
    assert list(five["difference"]) == pytest.approx(list(one["difference"]))
    assert (five["independent_error"] / one["independent_error"] < 0.46).all()
    assert list(five["error"] / one["error"]) == pytest.approx([1] * len(one), abs=0.03)


def test_where_all_pairs_vary_together_nothing_is_claimed(made: synthetic.Synthetic) -> None:
    table = measures_compared(decisions(made.pairs, made.scores), Dependence.of([("word",)] * N), 0.95)
    assert table[["p", "error", "low", "high"]].isna().all(axis=None)
    assert table[["difference", "agreement"]].notna().all(axis=None)


def test_what_no_pair_has_in_both_is_left_out(made: synthetic.Synthetic) -> None:
    silent = made.scores["measure"] == "AULA"
    scores = made.scores.assign(
        outcome=made.scores["outcome"].mask(silent, "undefined"), margin=made.scores["margin"].mask(silent)
    )
    found = measures_compared(decisions(made.pairs, scores), ALONE, 0.95)
    assert {*found["first"], *found["second"]} == set(MEASURES) - {"AULA"}
    between = models_compared(made.pairs, {"one": made.scores, "two": scores}, ALONE, 0.95)
    assert set(between["measure"]) == set(MEASURES) - {"AULA"}
    two = made.scores[made.scores["measure"].isin(["AUL", "SSS"])]
    early = two["pair_id"].isin(made.pairs["pair_id"][:30])
    apart = two.assign(outcome=two["outcome"].mask(early == (two["measure"] == "AUL"), "undefined"))
    assert list(measures_compared(decisions(made.pairs, apart), ALONE, 0.95)["protocol"]) == ["published"]


def test_a_model_is_compared_under_what_both_have(
    made: synthetic.Synthetic, models: dict[str, pd.DataFrame]
) -> None:
    fewer = models | {"two": models["two"][models["two"]["measure"].isin(["AUL", "CPS"])]}
    table = models_compared(made.pairs, fewer, ALONE, 0.95)
    of_two = table[(table["first"] == "two") | (table["second"] == "two")]
    assert len(of_two) == 2 * 2 * 2 and set(of_two["measure"]) == {"AUL", "CPS"}
    assert len(table) == len(of_two) + 2 * len(MEASURES)
    alone = models_compared(made.pairs, {"one": made.scores}, ALONE, 0.95)
    assert alone.empty and list(alone.columns) == COMPARISONS.names


def test_few_pairs_that_differ_leave_a_wide_interval(made: synthetic.Synthetic) -> None:
    """Whatever the number of pairs: three that differ alike are no evidence, nor is one."""
    own = made.scores[(made.scores["measure"] == "CPS") & (made.scores["protocol"] == "corrected")]
    for changed, least in ((1, None), (3, 0.2), (5, 0.05)):
        turned = own.assign(outcome=["antistereotype"] * changed + ["stereotype"] * (N - changed))
        table = models_compared(
            made.pairs, {"one": own.assign(outcome="stereotype"), "two": turned}, ALONE, 0.95
        )
        assert table["c"].iloc[0] == 0 and table["b"].iloc[0] == changed
        if least is None:
            assert table["p"].isna().all()
        else:
            assert table["p"].iloc[0] > least


def test_differences_of_what_does_not_differ_are_found_as_often_as_said() -> None:
    """Words make pairs decide alike: the clustered test keeps its level, that of lone ones does not."""
    rng, rounds = np.random.default_rng(1), 800
    word = np.arange(240) % 40
    dependence = Dependence.of([(w,) for w in word])
    sides = [
        rng.random((240, rounds)) < np.where(rng.random((40, rounds)) < 0.5, 0.9, 0.1)[word] for _ in range(2)
    ]
    d = 100 * (sides[0].astype(float) - sides[1])
    mean, weights = d.mean(axis=0), np.full(240, 1 / 240)
    found = dependence.variance(d - mean, weights, np.zeros(240, np.int64))
    clustered = student(mean, found.clustered, np.full(rounds, found.df), 0.95)
    independent = student(mean, found.independent, np.full(rounds, 239.0), 0.95)
    assert 0.03 < (clustered.p < 0.05).mean() < 0.07
    assert (independent.p < 0.05).mean() > 0.2
    assert ((clustered.p < 0.05) == ((clustered.low > 0) | (clustered.high < 0))).all()


def test_student_knows_what_it_cannot_know() -> None:
    nothing = student(
        np.array([0.0, 5.0, 1.0, 1.0, 100 / 3]),
        np.array([0.0, 0.0, np.nan, 1.0, 1e-28]),
        np.array([9.0, 9.0, 9.0, 0.0, 9.0]),
        0.95,
    )
    for column in nothing:
        assert np.isnan(column).all()
    some = student(np.array([2.0]), np.array([4.0]), np.array([5.0]), 0.9)
    assert some.error[0] == 2
    assert some.p[0] == pytest.approx(2 * t.sf(1, 5))
    assert some.high[0] == pytest.approx(2 + 2 * t.ppf(0.95, 5))


@pytest.mark.parametrize("dependence", [ALONE, TOGETHER], ids=["alone", "together"])
def test_models_without_a_common_measure_are_compared_by_their_headlines(
    made: synthetic.Synthetic, dependence: Dependence
) -> None:
    rng = np.random.default_rng(13)
    scores = {"masked": made.scores} | {
        name: synthetic.make_scores(made.pairs, rng, ("CCPS", "LL")) for name in ("decoder", "other")
    }
    headlines = {"masked": "CPS", "decoder": "LL", "other": "LL"}
    table = models_compared(made.pairs, scores, dependence, 0.95, headlines)
    table = table.astype(object).where(table.notna(), None)
    names = ["first", "second", "measure", "second_measure", "protocol"]
    protocols = ("published", "corrected")
    assert list(table[names].itertuples(index=False, name=None)) == [
        *(("masked", "decoder", "CPS", "LL", protocol) for protocol in protocols),
        *(("masked", "other", "CPS", "LL", protocol) for protocol in protocols),
        # these have measures in common
        *(("decoder", "other", of, None, protocol) for of in ("CCPS", "LL") for protocol in protocols),
    ]
    outcomes = {model: outcomes_in(own) for model, own in scores.items()}
    ids = list(made.pairs["pair_id"])
    for row in table.to_dict("records"):
        protocol, measure = row["protocol"], row["measure"]
        first = outcomes[row["first"]][measure, protocol]
        second = outcomes[row["second"]][row["second_measure"] or measure, protocol]
        check(row, first, second, ids, dependence)
    # without headlines such models are not compared, and same measures never are by them
    alone = models_compared(made.pairs, scores, dependence, 0.95)
    assert set(alone["first"]) == {"decoder"} and alone["second_measure"].isna().all()
