"""What is shown of downstream tasks: tables, charts and the section."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from library import (
    BIAS,
    DASH,
    DownstreamResults,
    downstream_values,
    printed_taus,
    read_published,
    read_table,
    rows_of,
)
from library import DOWNSTREAM_PRESENTS as PRESENTS
from made_study import RESOURCES, make_study
from shown import rows_drawn

MINUS = "\N{MINUS SIGN}"
AWKWARD = "a <b> $x_1$ & co"
ORIGIN: dict[str, Any] = {"name": AWKWARD, "family": AWKWARD, "role": ""}
DEBIASED = [
    {"name": f"b-{method}", "family": AWKWARD, "role": method, "origin": AWKWARD} for method in ("cda", "at")
]
ALL = [ORIGIN, *DEBIASED]
MAIN = {"bios": "tpr_gap", "sts": "delta", "nli": "fn_gap"}
FAMILIES = [
    {"name": f"m{n}{role}", "family": f"m{n}", "role": role, **({"origin": f"m{n}"} if role else {})}
    for n in range(5)
    for role in ("", "-cda")
]


def with_settings(results: DownstreamResults, **settings: Any) -> DownstreamResults:
    return DownstreamResults(results.files, {**results.settings, **settings})


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> DownstreamResults:
    return make_study(tmp_path_factory.mktemp("whole"), ALL, seeds=(0, 1))


@pytest.fixture(scope="module")
def ten(tmp_path_factory: pytest.TempPathFactory) -> DownstreamResults:
    return make_study(tmp_path_factory.mktemp("ten"), FAMILIES, tasks=("bios",))


def test_what_rests_on_one_run_is_known(whole: DownstreamResults, ten: DownstreamResults) -> None:
    assert ten.run_once == ["bios"] and whole.run_once == []


def test_tables_have_the_truth_and_what_is_printed(whole: DownstreamResults) -> None:
    values = downstream_values(whole).query("task == 'bios' and model == 'b-cda'")
    gap = values[values["occupation"].isna()].set_index("metric").loc["tpr_gap"]
    assert (gap["truth"], gap["value"], gap["runs"]) == pytest.approx((0.3, 0.3, 2), abs=0.1)
    occupations = values[values["metric"] == "gap"].set_index("occupation")
    assert len(occupations) == 8 and occupations["truth"].tolist() == pytest.approx([0.3] * 8)
    (doubtful,) = [row for row in PRESENTS.table("table1", whole)[1].rows if row[:2] == ("bios", "printed")]
    assert doubtful[2:4] == ("20720?", "35412?")


def test_a_tau_is_shown_with_both_tests_and_both_numbers_of_pairs(ten: DownstreamResults) -> None:
    """All test instances, the paper's N, have the printed taus; sentences are of the pairs about gender."""
    rows, sheet = PRESENTS.table("table2", ten)
    # two sets of pairs, measures and protocols, before and after; AULA is printed of an unknown benchmark
    assert len(rows) == 16 and len(sheet.rows) == 8 + 1
    cells = {row[1:5]: row for row in sheet.rows}
    for pairs, n in (("all", "1000"), ("gender", "300")):
        row = cells["cp", pairs, "AULA", "published"]
        # tau, its p, that of families, and the models
        assert row[5] == n and DASH not in row[6:9] and row[9] == "10" and row[14:16] == (DASH, DASH)
    assert cells["cp", "all", "CPS", "published"][14:16] == (f"{MINUS}0.17",) * 2
    assert cells["cp", "gender", "CPS", "published"][14:16] == (DASH, DASH)
    row = cells[DASH, "all", "AULA", "published"]
    assert row[5:14] == (DASH,) * 9 and row[14:16] == (f"{MINUS}0.20", "0.11 ↑")
    assert all(row[14:16] == (DASH, DASH) for row in sheet.rows if row[4] == "corrected")
    assert set(ten.that_count(ten.correlations)["pairs"]) == {"gender"}
    # ours are scored on StereoSet alone, or on a benchmark of no published name
    printed = printed_taus(read_published(RESOURCES / "downstream/published.csv"))
    assert {of[1:] for of in printed} == {("CPS", "crows-pairs"), ("SSS", "stereoset"), ("AULA", None)}
    for names in ({"cp": "stereoset"}, {}):
        _, sheet = PRESENTS.table("table2", with_settings(ten, published=names))
        assert [(row[1], row[3]) for row in sheet.rows if row[14] != DASH] == [(DASH, "AULA")]


def test_changes_are_corrected_over_all_that_a_sentence_counts(whole: DownstreamResults) -> None:
    changes = whole.changes
    p = changes["p"].dropna().sort_values()
    assert len(p) == 6
    corrected = np.minimum(1, np.maximum.accumulate(p * np.arange(len(p), 0, -1)))
    np.testing.assert_allclose(changes.loc[p.index, "p_holm"], corrected)


@pytest.mark.parametrize("bias_type", ["gender", "race"])
def test_charts_of_bias_scores_are_of_the_pairs_that_count(whole: DownstreamResults, bias_type: str) -> None:
    """All pairs, where a benchmark has none of the bias type."""
    results = with_settings(whole, bias_type=bias_type)
    group = "gender" if bias_type == "gender" else "all"
    assert any("no pairs of the bias type" in each for each in results.remarks()) == (bias_type == "race")
    against = pd.DataFrame(rows_drawn(PRESENTS.figure("against", results)[0]))
    assert set(against["panel"]) == {f"{task}: {of} on cp" for task in MAIN for of in ("AULA", "CPS")}
    for row in rows_of(against):
        (path,) = (path for path in whole.files["bias_before"] if path.stem == row.model)
        file = read_table(path, BIAS)
        of_group = file[file["group"].eq(group) & file["variant"].eq("original")]
        stated = of_group.set_index(["measure", "protocol"]).loc[row.panel.split(" ")[1], "corrected"]
        assert [row.score, row.low, row.high] == stated[["score", "low", "high"]].tolist()
        assert row.debiased == {AWKWARD: "none"}.get(row.model, row.model.removeprefix("b-"))
