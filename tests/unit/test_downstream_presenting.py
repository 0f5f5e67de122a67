"""What is shown of downstream tasks: tables, charts and the section."""

import html
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from library import (
    BIAS,
    COMPARISONS,
    DASH,
    Chart,
    DownstreamResults,
    Text,
    framed,
    printed_taus,
    read_published,
    read_table,
    render_page,
    rows_of,
    tables,
    write_table,
)
from library import DOWNSTREAM_PRESENTS as PRESENTS
from library import DOWNSTREAM_SCORES as SCORES
from made_study import RESOURCES, Study, compared, make_study
from shown import check_first_sentence, check_shown, rows_drawn

MINUS = "\N{MINUS SIGN}"
AWKWARD = "a <b> $x_1$ & co"
ORIGIN: dict[str, Any] = {"name": AWKWARD, "family": AWKWARD, "role": ""}
DEBIASED = [
    {"name": f"b-{method}", "family": AWKWARD, "role": method, "origin": AWKWARD} for method in ("cda", "at")
]
ALL = [ORIGIN, *DEBIASED]
MAIN = {"bios": "tpr_gap", "sts": "delta", "nli": "fn_gap"}
PANELS = {"bios": "mean |TPR gap|", "sts": "mean |Δ|", "nli": "difference in FN, women and men"}
FIGURES = ("extrinsic", "changes", "against", "steps")
FAMILIES = [
    {"name": f"m{n}{role}", "family": f"m{n}", "role": role, **({"origin": f"m{n}"} if role else {})}
    for n in range(5)
    for role in ("", "-cda")
]


def results_of(study: Study, **settings: Any) -> DownstreamResults:
    return DownstreamResults(study.files, study.settings | settings)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return make_study(tmp_path_factory.mktemp("whole"), ALL, seeds=(0, 1), steps=(0, 10, 20))


@pytest.fixture(scope="module")
def ten(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return make_study(tmp_path_factory.mktemp("ten"), FAMILIES, tasks=("bios",))


def said(results: DownstreamResults) -> str:
    """All sentences of the section, those in folds too."""
    (section,) = PRESENTS.sections(results)
    texts = (block.text for block in section.every_block() if isinstance(block, Text))
    return " ".join([*section.sentences, *texts])


def test_all_of_a_whole_study_is_shown(whole: Study) -> None:
    results = results_of(whole)
    (section,) = PRESENTS.sections(results)
    check_first_sentence(section)
    assert sum(isinstance(block, Chart) for block in section.every_block()) == len(FIGURES)
    sentences = said(results)
    assert "Of 6 changes of extrinsic bias by debiasing, " in sentences
    # two runs each
    assert "is not known: 3 models" in sentences and "once" not in sentences
    assert "After cda, bias scores are 2.0 instead of 30.0 points from 50 on average; extrinsic" in sentences
    page = render_page("r", [section])
    assert "<b> $x_1$" not in page and html.escape(AWKWARD) in page


def test_what_rests_on_one_run_or_on_too_few_words_is_said(tmp_path: Path) -> None:
    study = make_study(tmp_path, ALL)
    nothing = {"low": None, "high": None, "p": None, "error": None, "df": None}
    rows = [row | nothing for model in DEBIASED for row in compared(model["name"], AWKWARD, (52.0, 80.0))]
    write_table(study.files["comparisons"][0], framed(rows, COMPARISONS), COMPARISONS, {"benchmark": "cp"})
    sentences = said(results_of(study))
    assert "Models were fine-tuned once on bios, sts and nli" in sentences
    assert "30.0 points from 50 on average, on too few different words for a test; extrinsic" in sentences


def test_tables_have_the_truth_and_what_is_printed(whole: Study) -> None:
    results = results_of(whole)
    values = tables.values(results).query("task == 'bios' and model == 'b-cda'")
    gap = values[values["occupation"].isna()].set_index("metric").loc["tpr_gap"]
    assert (gap["truth"], gap["value"], gap["runs"]) == pytest.approx((0.3, 0.3, 2), abs=0.1)
    occupations = values[values["metric"] == "gap"].set_index("occupation")
    assert len(occupations) == 8 and occupations["truth"].tolist() == pytest.approx([0.3] * 8)
    (doubtful,) = [row for row in PRESENTS.table("table1", results)[1].rows if row[:2] == ("bios", "printed")]
    assert doubtful[2:4] == ("20720?", "35412?")


def test_a_tau_is_shown_with_both_tests_and_both_numbers_of_pairs(ten: Study) -> None:
    """All test instances, the paper's N, have the printed taus; sentences are of the pairs about gender."""
    results = results_of(ten)
    rows, sheet = PRESENTS.table("table2", results)
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
    assert set(results.that_count(results.correlations)["pairs"]) == {"gender"}
    # ours are scored on StereoSet alone, or on a benchmark of no published name
    printed = printed_taus(read_published(RESOURCES / "downstream/published.csv"))
    assert {of[1:] for of in printed} == {("CPS", "crows-pairs"), ("SSS", "stereoset"), ("AULA", None)}
    for names in ({"cp": "stereoset"}, {}):
        _, sheet = PRESENTS.table("table2", results_of(ten, published=names))
        assert [(row[1], row[3]) for row in sheet.rows if row[14] != DASH] == [(DASH, "AULA")]


def test_changes_are_corrected_over_all_that_a_sentence_counts(whole: Study) -> None:
    changes = results_of(whole).changes
    p = changes["p"].dropna().sort_values()
    assert len(p) == 6
    corrected = np.minimum(1, np.maximum.accumulate(p * np.arange(len(p), 0, -1)))
    np.testing.assert_allclose(changes.loc[p.index, "p_holm"], corrected)


# --- charts: their numbers are those of the files


def data_of(results: DownstreamResults, name: str) -> pd.DataFrame:
    return pd.DataFrame(rows_drawn(PRESENTS.figure(name, results)[0]))


def measured(study: Study) -> pd.DataFrame:
    """The means over the runs, from the files."""
    every = [
        read_table(study.folder / task / str(model["name"]) / "scores.parquet", SCORES).assign(
            task=task, model=model["name"], panel=f"{task}: {PANELS[task]}", main=MAIN[task]
        )
        for task in MAIN
        for model in ALL
    ]
    rows = pd.concat(every)
    return rows[rows["seed"].isna() & rows["group"].isna()]


def test_charts_have_the_numbers_of_the_files(whole: Study) -> None:
    results, every = results_of(whole), measured(whole)
    main, last = every[every["metric"] == every["main"]], every[every["step"] == 20]
    of_last = last[last["metric"] == last["main"]]
    ends, by_model = {"low": "low", "high": "high"}, {"panel": "panel", "model": "model"}
    bands = {"bias": "value", **ends, "chance_low": "null_low", "chance_high": "null_high", "truth": "truth"}
    extrinsic, changes, steps, against = (data_of(results, name) for name in FIGURES[:2] + FIGURES[:1:-1])
    check_shown(extrinsic.to_dict("records"), of_last, by_model, bands)
    check_shown(steps.to_dict("records"), main, by_model | {"step": "step"}, {"bias": "value", **ends})
    changed = last[last["metric"] == "change"]
    check_shown(changes.to_dict("records"), changed, by_model, {"change": "value", **ends})
    known = of_last.set_index(["panel", "model"])["value"]
    for row in rows_of(changes):
        assert row.row == AWKWARD and row.model == f"b-{row.kind}"
        assert (row.before, row.after) == (known[row.panel, AWKWARD], known[row.panel, row.model])
    once = against.drop_duplicates(["task", "model"]).to_dict("records")
    check_shown(once, of_last, {"task": "task", "model": "model"}, {"bias": "value"})


@pytest.mark.parametrize("bias_type", ["gender", "race"])
def test_charts_of_bias_scores_are_of_the_pairs_that_count(whole: Study, bias_type: str) -> None:
    """All pairs, where a benchmark has none of the bias type."""
    results = results_of(whole, bias_type=bias_type)
    group = "gender" if bias_type == "gender" else "all"
    assert any("no pairs of the bias type" in each for each in results.remarks()) == (bias_type == "race")
    against = data_of(results, "against")
    assert set(against["panel"]) == {f"{task}: {of} on cp" for task in MAIN for of in ("AULA", "CPS")}
    for row in rows_of(against):
        file = read_table(whole.folder / f"bias/{row.model}.parquet", BIAS)
        of_group = file[file["group"].eq(group) & file["variant"].eq("original")]
        stated = of_group.set_index(["measure", "protocol"]).loc[row.panel.split(" ")[1], "corrected"]
        assert [row.score, row.low, row.high] == stated[["score", "low", "high"]].tolist()
        assert row.debiased == {AWKWARD: "none"}.get(row.model, row.model.removeprefix("b-"))
