"""Measures, models, states and versions on the same pairs, against slow computations of the same numbers."""

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
from library import (
    ANTISTEREOTYPE,
    COMPARISONS,
    STEREOTYPE,
    TIE,
    UNDEFINED,
    VERSIONS,
    Decisions,
    InputError,
    Sharing,
    contrast,
    decisions,
    measures_compared,
    modified_words,
    rows_of,
    sides_compared,
    t_test,
    versions_compared,
    write_table,
)
from study_schema import MEASURES

N = 90
ALONE = Sharing.of([()] * N)
TOGETHER = Sharing.of([(i // 3, "tenth" if i % 10 == 0 else -i) for i in range(N)])
Outcomes = dict[tuple[str, str], dict[str, str]]


def models_compared(
    pairs: pd.DataFrame, scores: dict[str, pd.DataFrame], sharing: Sharing, confidence: float
) -> pd.DataFrame:
    of_models = {model: decisions(pairs, own) for model, own in scores.items()}
    couples = combinations(of_models, 2)
    sides = [({"first": one, "second": two}, of_models[one], of_models[two]) for one, two in couples]
    return sides_compared(sides, sharing, confidence)


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
    sharing: Sharing,
) -> None:
    """A row against one pair at a time; clustered errors by contrast."""
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
    found = contrast(np.array(d)[:, None], sharing.among(np.array(members))).iloc[0]
    df = min(found["df"], sum(x != 0 for x in d) - 1)
    # with less than one degree of freedom nothing is known of how pairs vary
    error, df = (math.sqrt(found["clustered"]), df) if df >= 1 else (math.nan, math.nan)
    p, reach = 2 * t.sf(abs(mean) / error, df), t.ppf(0.975, df) * error
    expected = (error, df, p, mean - reach, mean + reach)
    found_in_row = [row[name] for name in ("error", "df", "p", "low", "high")]
    assert found_in_row == pytest.approx(expected, nan_ok=True)

    x = [first[ids[i]] == "stereotype" for i in members]
    y = [second[ids[i]] == "stereotype" for i in members]
    b, c = (sum(p > q for p, q in zip(*sides, strict=True)) for sides in ((x, y), (y, x)))
    both = sum(p and q for p, q in zip(x, y, strict=True))
    assert (row["both"], row["b"], row["c"], row["neither"]) == (both, b, c, n - both - b - c)
    assert row["agreement"] == pytest.approx(100 * (n - b - c) / n)
    tested = mcnemar([[both, b], [c, n - both - b - c]], exact=b + c < 25)
    assert row["p_mcnemar"] == pytest.approx(tested.pvalue)


@pytest.mark.parametrize("sharing", [ALONE, TOGETHER], ids=["alone", "together"])
def test_measures_are_compared_pair_by_pair(
    made: synthetic.Synthetic, sharing: Sharing, tmp_path: object
) -> None:
    table = measures_compared(decisions(made.pairs, made.scores), sharing, 0.95)
    assert [(row.first, row.second, row.protocol) for row in rows_of(table)] == [
        (first, second, protocol)
        for first, protocol in [(m, p) for m in MEASURES for p in ("published", "corrected")]
        for second in MEASURES[MEASURES.index(first) + 1 :]
    ]
    outcomes, ids = outcomes_in(made.scores), list(made.pairs["pair_id"])
    for row in table.to_dict("records"):
        protocol = row["protocol"]
        check(row, outcomes[row["first"], protocol], outcomes[row["second"], protocol], ids, sharing)
    # in corrected, pairs are left out for either measure
    assert table.loc[table["protocol"] == "corrected", "n"].nunique() > 3
    write_table(f"{tmp_path}/measures.parquet", table, COMPARISONS, {})


def test_models_are_compared_pair_by_pair(
    made: synthetic.Synthetic, models: dict[str, pd.DataFrame], tmp_path: object
) -> None:
    """Under the measures that both have."""
    fewer = models | {"two": models["two"][models["two"]["measure"].isin(["AUL", "CPS"])]}
    table = models_compared(made.pairs, fewer, TOGETHER, 0.95)
    outcomes, ids = {name: outcomes_in(own) for name, own in models.items()}, list(made.pairs["pair_id"])
    for row in table.to_dict("records"):
        key = row["measure"], row["protocol"]
        check(row, outcomes[row["first"]][key], outcomes[row["second"]][key], ids, TOGETHER)
    counts = {("one", "two"): 2 * 2, ("one", "three"): 2 * len(MEASURES), ("two", "three"): 2 * 2}
    assert table.groupby(["first", "second"], sort=False).size().to_dict() == counts
    write_table(f"{tmp_path}/models.parquet", table, COMPARISONS, {})
    alone = models_compared(made.pairs, {"one": made.scores}, ALONE, 0.95)
    assert alone.empty and list(alone.columns) == COMPARISONS.names


def test_a_model_against_itself_differs_by_nothing(made: synthetic.Synthetic) -> None:
    table = models_compared(made.pairs, {"one": made.scores, "twin": made.scores}, TOGETHER, 0.95)
    assert (table[["difference", "b", "c"]] == 0).all(axis=None) and table["p_mcnemar"].isna().all()
    assert table[["p", "error", "low", "high", "df"]].isna().all(axis=None)


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
    sides = [
        rng.random((240, rounds)) < np.where(rng.random((40, rounds)) < 0.5, 0.9, 0.1)[word] for _ in range(2)
    ]
    of = contrast(100 * (sides[0].astype(float) - sides[1]), Sharing.of([(w,) for w in word]))
    clustered = t_test(of["estimate"], of["clustered"], of["df"], 0.95)
    independent = t_test(of["estimate"], of["independent"], np.full(rounds, 239.0), 0.95)
    assert 0.03 < (clustered.p < 0.05).mean() < 0.07
    assert (independent.p < 0.05).mean() > 0.2
    assert ((clustered.p < 0.05) == ((clustered.low > 0) | (clustered.high < 0))).all()


# ---- versions of a benchmark

SERIES = [("AUL", "published"), ("AUL", "corrected"), ("CPS", "corrected")]


def pairs_of(texts: dict[str, tuple[str, str]]) -> pd.DataFrame:
    rows = [
        {"pair_id": name, "stereotype": one, "antistereotype": other} for name, (one, other) in texts.items()
    ]
    return pd.DataFrame(rows).assign(target=None, writer=None)


def decisions_of(outcomes: list[list[str]], series: list[tuple[str, str]]) -> Decisions:
    """outcomes: of each pair by series."""
    of = np.array(outcomes, dtype=object)
    return Decisions(series, of, np.zeros(of.shape), of, of)


def made_versions(seed: int) -> tuple[pd.DataFrame, pd.DataFrame, Decisions, Decisions]:
    """Forty pairs of words, of which thirty are in the other version, ten of these with another word."""
    rng = np.random.default_rng(seed)
    groups = ["red", "blue", "green", "grey", "pink", "white", "black"]
    texts = {
        str(number): (f"all {groups[one]} are x{number}", f"all {groups[other]} are x{number}")
        for number, (one, other) in enumerate(rng.choice(len(groups), size=(40, 2)))
    }
    names = [str(number) for number in rng.permutation(40)[:30]]
    others = {
        name: (texts[name][0].replace("all", "most") if place < 10 else texts[name][0], texts[name][1])
        for place, name in enumerate(names)
    }
    others["alone"] = ("a red x", "a blue x")
    kinds = [STEREOTYPE, ANTISTEREOTYPE, TIE, UNDEFINED]
    first = decisions_of(rng.choice(kinds, size=(len(others), 3), p=[0.5, 0.3, 0.1, 0.1]).tolist(), SERIES)
    second = decisions_of(rng.choice(kinds, size=(40, 2), p=[0.5, 0.3, 0.1, 0.1]).tolist(), SERIES[::-1][:2])
    return pairs_of(others), pairs_of(texts), first, second


@pytest.mark.parametrize("seed", range(4))
def test_pairs_of_one_name_are_compared(seed: int) -> None:
    version, original, first, second = made_versions(seed)
    rows = versions_compared(version, original, {"m": (first, second)}, ["words"], 0.95)
    assert list(rows["measure"].unique()) == ["AUL", "CPS"] and set(rows["protocol"]) == {"corrected"}
    assert list(rows.columns) == VERSIONS.names
    texts = [pairs.set_index("pair_id")[[STEREOTYPE, ANTISTEREOTYPE]] for pairs in (version, original)]
    names = [name for name in version["pair_id"] if name in texts[1].index]
    for row in rows.to_dict("records"):
        series = (row["measure"], "corrected")
        ones, others = (
            dict(zip(pairs["pair_id"], of.outcome[:, of.series.index(series)], strict=True))
            for pairs, of in ((version, first), (original, second))
        )
        # two pairs vary together where they share a modified word in either version
        modified = [{w for of in texts for side in modified_words(*of.loc[n]) for w in side} for n in names]
        check(row, ones, others, names, Sharing.of(modified))


def test_benchmarks_without_a_common_pair_are_refused() -> None:
    version, original, first, second = made_versions(1)
    renamed = original.assign(pair_id="x" + original["pair_id"].astype(str))
    with pytest.raises(InputError, match="no pair_id is in both benchmarks"):
        versions_compared(version, renamed, {"m": (first, second)}, ["words"], 0.95)
