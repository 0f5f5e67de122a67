"""Measures, models, states and versions on the same pairs, against slow computations of the same numbers."""

import math
import statistics
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

import synthetic
from library import (
    ANTISTEREOTYPE,
    COMPARISONS,
    PAIRS,
    SCORES,
    STEREOTYPE,
    VERSIONS,
    InputError,
    Sharing,
    contrast,
    decisions,
    mcnemar_p,
    measures_compared,
    modified_words,
    read_metadata,
    read_table,
    rows_of,
    sharing_of,
    sides_compared,
    t_test,
    versions_compared,
    write_table,
)
from running import run_script
from study_schema import MEASURES

N = 90
CELLS = [[(True, True), (True, False)], [(False, True), (False, False)]]
"""Whether the first and the second prefer the stereotype, as McNemar's table has it."""
ALONE = Sharing.of([()] * N)
TOGETHER = Sharing.of([(i // 3, "tenth" if i % 10 == 0 else -i) for i in range(N)])
Decided = dict[str, tuple[str, float]]
"""Outcome and margin of each pair."""


def compared(pairs: pd.DataFrame, one: pd.DataFrame, two: pd.DataFrame) -> pd.DataFrame:
    sides = [({"first": "one", "second": "two"}, decisions(pairs, one), decisions(pairs, two))]
    return sides_compared(sides, TOGETHER, 0.95)


@pytest.fixture(scope="module")
def made() -> synthetic.Synthetic:
    return synthetic.make(N, seed=11)


@pytest.fixture(scope="module")
def models(made: synthetic.Synthetic) -> dict[str, pd.DataFrame]:
    """The scores of three models on the same pairs."""
    rng = np.random.default_rng(12)
    return {"one": made.scores} | {name: synthetic.make_scores(made.pairs, rng) for name in ("two", "three")}


def credit(outcome: str, protocol: str) -> float | None:
    """In percent; None where a pair does not count."""
    if protocol == "published":
        return 100.0 if outcome == "stereotype" else 0.0
    return {"stereotype": 100.0, "tie": 50.0, "antistereotype": 0.0}.get(outcome)


def check(row: Mapping[Hashable, Any], sides: Iterable[Decided], ids: list[str], sharing: Sharing) -> None:
    """A row against one pair at a time of both sides; clustered errors by contrast."""
    first, second = sides
    credits = [tuple(credit(side[pair][0], row["protocol"]) for side in (first, second)) for pair in ids]
    members = [i for i, both in enumerate(credits) if None not in both]
    own, other = (np.array([credits[i][side] for i in members], float) for side in (0, 1))
    n, d = len(members), own - other
    assert row["n"] == n and row["difference"] == pytest.approx(d.mean())
    assert (row["first_score"], row["second_score"]) == pytest.approx((own.mean(), other.mean()))
    found = contrast(d[:, None], sharing.among(np.array(members))).iloc[0]
    df = min(found["df"], np.count_nonzero(d) - 1)
    # with less than one degree of freedom nothing is known of how pairs vary
    error, df = (math.sqrt(found["clustered"]), df) if df >= 1 else (math.nan, math.nan)
    p, reach = 2 * t.sf(abs(d.mean()) / error, df), t.ppf(0.975, df) * error
    expected = (error, df, p, d.mean() - reach, d.mean() + reach)
    assert [row[name] for name in ("error", "df", "p", "low", "high")] == pytest.approx(expected, nan_ok=True)

    of_members = [[side[ids[i]] for i in members] for side in (first, second)]
    x, y = ([outcome == "stereotype" for outcome, _ in side] for side in of_members)
    counts = [[sum((p, q) == cell for p, q in zip(x, y, strict=True)) for cell in cells] for cells in CELLS]
    (both, b), (c, neither) = counts
    assert (row["both"], row["b"], row["c"], row["neither"]) == (both, b, c, neither)
    assert row["agreement"] == pytest.approx(100 * (both + neither) / n)
    assert row["p_mcnemar"] == mcnemar_p(b, c)
    for name, side in zip(("first_margin", "second_margin"), of_members, strict=True):
        sizes = [abs(margin) for _, margin in side if not math.isnan(margin)]
        assert row[name] == pytest.approx(statistics.median(sizes))


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
    for row in table.to_dict("records"):
        sides = (synthetic.decided(made.scores, row[side], row["protocol"]) for side in ("first", "second"))
        check(row, sides, list(made.pairs["pair_id"]), sharing)
    # in corrected, pairs are left out for either measure
    assert table.loc[table["protocol"] == "corrected", "n"].nunique() > 3
    write_table(f"{tmp_path}/measures.parquet", table, COMPARISONS, {})


def test_a_model_against_itself_differs_by_nothing(made: synthetic.Synthetic) -> None:
    table = compared(made.pairs, made.scores, made.scores)
    assert (table[["difference", "b", "c"]] == 0).all(axis=None) and table["p_mcnemar"].isna().all()
    assert table[["p", "error", "low", "high", "df"]].isna().all(axis=None)


def test_what_no_pair_has_in_both_is_left_out(made: synthetic.Synthetic) -> None:
    silent = made.scores["measure"] == "AULA"
    scores = made.scores.assign(
        outcome=made.scores["outcome"].mask(silent, "undefined"), margin=made.scores["margin"].mask(silent)
    )
    found = measures_compared(decisions(made.pairs, scores), ALONE, 0.95)
    assert {*found["first"], *found["second"]} == set(MEASURES) - {"AULA"}
    assert set(compared(made.pairs, made.scores, scores)["measure"]) == set(MEASURES) - {"AULA"}
    two = made.scores[made.scores["measure"].isin(["AUL", "SSS"])]
    early = two["pair_id"].isin(made.pairs["pair_id"][:30])
    apart = two.assign(outcome=two["outcome"].mask(early == (two["measure"] == "AUL"), "undefined"))
    assert list(measures_compared(decisions(made.pairs, apart), ALONE, 0.95)["protocol"]) == ["published"]


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


@pytest.mark.parametrize(("bias_type", "counted"), [("gender", "gender"), ("nothing", None)])
def test_models_are_compared_with_their_origins_on_the_pairs_of_a_bias_type(
    models: dict[str, pd.DataFrame],
    made: synthetic.Synthetic,
    bias_type: str,
    counted: str | None,
    tmp_path: Path,
) -> None:
    """By the job, under the measures that both have; on all pairs where none is of the type."""
    fewer = models | {"two": models["two"][models["two"]["measure"].isin(["AUL", "CPS"])]}
    inputs: dict[str, Any] = {"pairs": tmp_path / "pairs.parquet", "scores": []}
    write_table(inputs["pairs"], made.pairs, PAIRS, {"benchmark": "b"})
    for model, scores in fewer.items():
        inputs["scores"].append(tmp_path / f"{model}.parquet")
        about = {"model": model, "benchmark": "b", "benchmark_sha256": "0", "evidence": {}}
        write_table(inputs["scores"][-1], scores, SCORES, about)
    run_script(
        "compare_scores",
        inputs,
        [tmp_path / "compared.parquet"],
        tmp_path / "log",
        measures=MEASURES,
        options={"confidence": 0.95, "clusters": ["words"]},
        what="made",
        about={"benchmark": "b", "models": list(models), "origins": {"two": "one", "three": "one"}},
        bias_type=bias_type,
    )
    assert read_metadata(tmp_path / "compared.parquet")["bias_type"] == counted
    found = read_table(tmp_path / "compared.parquet", COMPARISONS)
    counts = {("two", "one"): 2 * 2, ("three", "one"): 2 * len(MEASURES)}
    assert found.groupby(["first", "second"], sort=False).size().to_dict() == counts
    pairs = made.pairs if counted is None else made.pairs[made.pairs["bias_type"] == counted]
    for row in found.to_dict("records"):
        of_sides = (models[row[side]] for side in ("first", "second"))
        sides = (synthetic.decided(scores, row["measure"], row["protocol"]) for scores in of_sides)
        check(row, sides, list(pairs["pair_id"]), sharing_of(pairs, ["words"]))


# ---- versions of a benchmark


@pytest.mark.parametrize("seed", range(2))
def test_pairs_of_one_name_are_compared(made: synthetic.Synthetic, seed: int) -> None:
    """Sixty pairs in another order, every second of them in other words, and one that is new."""
    rng = np.random.default_rng(seed)
    version = made.pairs.iloc[rng.permutation(N)[:61]].reset_index(drop=True)
    others = version["stereotype"].str.replace("red1", "green")
    version["stereotype"] = version["stereotype"].mask(version.index % 2 == 0, others)
    version.loc[0, "pair_id"] = "new"
    scores = synthetic.make_scores(version, rng, ("AUL", "CPS"))
    of_both = decisions(version, scores), decisions(made.pairs, made.scores)
    rows = versions_compared(version, made.pairs, {"m": of_both}, ["words"], 0.95)
    assert list(rows.columns) == VERSIONS.names and set(rows["model"]) == {"m"}
    assert list(rows["measure"].unique()) == ["AUL", "CPS"] and len(rows) == 4
    names = version["pair_id"].tolist()[1:]
    texts = [pairs.set_index("pair_id")[[STEREOTYPE, ANTISTEREOTYPE]] for pairs in (version, made.pairs)]
    # two pairs vary together where they share a modified word in either version
    modified = [{w for of in texts for side in modified_words(*of.loc[n]) for w in side} for n in names]
    for row in rows.to_dict("records"):
        sides = (synthetic.decided(of, row["measure"], row["protocol"]) for of in (scores, made.scores))
        check(row, sides, names, Sharing.of(modified))


def test_benchmarks_without_a_common_pair_are_refused(made: synthetic.Synthetic) -> None:
    other = made.pairs.assign(pair_id="x" + made.pairs["pair_id"])
    with pytest.raises(InputError, match="no pair_id is in both benchmarks"):
        versions_compared(other, made.pairs, {}, ["words"], 0.95)
