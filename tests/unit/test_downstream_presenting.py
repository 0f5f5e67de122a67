"""What is shown of downstream tasks: tables, figures and the section, made by the scripts of the workflow."""

import html
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from drawn_marks import panels_of, scale_of
from library import (
    BIAS,
    DASH,
    EMPTY,
    MOST_CURVES,
    NO_FIGURE,
    TAU,
    Chart,
    DownstreamResults,
    Section,
    Sheet,
    Text,
    doubts,
    printed_taus,
    read_published,
    read_section,
    read_table,
    render_page,
    rows_of,
    tables,
)
from library import DOWNSTREAM_PRESENTS as PRESENTS
from library import DOWNSTREAM_SCORES as SCORES
from made_study import RESOURCES, Study, make_study
from running import present
from shown import check_first_sentence, check_shown, rows_drawn

PUBLISHED = read_published(RESOURCES / "downstream/published.csv")
MINUS = "\N{MINUS SIGN}"
AWKWARD = "a <b> $x_1$ & co"
ORIGIN: dict[str, Any] = {"name": AWKWARD, "family": AWKWARD, "role": ""}
DEBIASED = [
    {"name": f"b-{method}", "family": AWKWARD, "role": method, "origin": AWKWARD} for method in ("cda", "at")
]
ALL = [ORIGIN, *DEBIASED]
NAMES = [str(model["name"]) for model in ALL]
MAIN = {"bios": "tpr_gap", "sts": "delta", "nli": "fn_gap"}
PANELS = {"bios": "mean |TPR gap|", "sts": "mean |Δ|", "nli": "difference in FN, women and men"}


def families(count: int) -> list[dict[str, Any]]:
    """Models, each beside one that was debiased by CDA."""
    return [
        {"name": f"m{n}{role}", "family": f"m{n}", "role": role, **({"origin": f"m{n}"} if role else {})}
        for n in range(count)
        for role in ("", "-cda")
    ]


def results_of(study: Study, **settings: Any) -> DownstreamResults:
    return DownstreamResults(study.files, study.settings | settings)


FIGURES = ("extrinsic", "changes", "against", "steps")


def sheet_of(name: str, results: DownstreamResults) -> Sheet:
    return PRESENTS.table(name, results)[1]


def told(section: Section) -> str:
    """All its sentences, those in folds too."""
    texts = (block.text for block in section.every_block() if isinstance(block, Text))
    return " ".join([*section.sentences, *texts])


def presented(study: Study) -> tuple[dict[str, str], Section]:
    """The texts of tables and figures, and the section."""
    names = [f"{name}_{form}" for name in ("overview", "table1", "table2") for form in ("csv", "md", "tex")]
    outputs = {name: study.folder / name for name in [*names, "values_csv"]}
    outputs |= {
        f"{name}_{form}": study.folder / f"{name}.{form}" for name in FIGURES for form in ("svg", "png")
    }
    section = study.folder / "downstream.json"
    present(
        "downstream", study.files, outputs | {"downstream": section}, study.folder / "log", study.settings
    )
    texts = {name: path.read_text() for name, path in outputs.items() if not name.endswith("png")}
    return texts, read_section(section)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return make_study(tmp_path_factory.mktemp("whole"), ALL, seeds=(0, 1), steps=(0, 10, 20))


@pytest.fixture(scope="module")
def ten(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return make_study(tmp_path_factory.mktemp("ten"), families(5), tasks=("bios",))


def test_all_of_a_whole_study_is_shown(whole: Study) -> None:
    texts, section = presented(whole)
    check_first_sentence(section)
    assert not [name for name in FIGURES if NO_FIGURE in texts[f"{name}_svg"]]
    sentences = told(section)
    assert re.search(r"Of 6 changes of extrinsic bias by debiasing, (none|\d) (is|are) clear", sentences)
    assert "is not known: 3 models" in sentences
    # two runs each
    assert "once" not in sentences
    page = render_page("r", [section])
    assert "<h2>Extrinsic bias</h2>" in page and "<b> $x_1$" not in page and html.escape(AWKWARD) in page
    assert sum(isinstance(block, Chart) for block in section.every_block()) == len(FIGURES)
    assert "a \\<b\\> \\$x\\_1\\$ & co" in texts["overview_md"]
    assert r"\$x\_1\$ \& co" in texts["overview_tex"]
    assert "20720?" in texts["table1_md"]
    assert all(part in texts["table2_md"] for part in ("↑", "0.30†", "fewer than 8"))


def test_tables_have_the_truth(whole: Study) -> None:
    results = results_of(whole)
    values = tables.values(results).query("task == 'bios' and model == 'b-cda'")
    gap = values[values["occupation"].isna()].set_index("metric").loc["tpr_gap"]
    assert gap["truth"] == pytest.approx(0.3) and gap["value"] == pytest.approx(0.3, abs=0.1)
    assert (gap["runs"], len(tables.overview(results))) == (2, 9)
    occupations = values[values["metric"] == "gap"].set_index("occupation")
    assert len(occupations) == 8 and occupations["truth"].tolist() == pytest.approx([0.3] * 8)


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


def test_printed_taus_stand_beside_their_own_benchmark(ten: Study) -> None:
    """SSS is of StereoSet and CPS of CrowS-Pairs, whatever else a study scores them on."""
    printed = {(measure, name) for _, measure, name in printed_taus(PUBLISHED)}
    assert printed == {("CPS", "crows-pairs"), ("SSS", "stereoset"), ("AULA", None)}
    # ours are scored on StereoSet alone, or on a benchmark of no published name
    for names in ({"cp": "stereoset"}, {}):
        sheet = sheet_of("table2", results_of(ten, published=names))
        assert [(row[1], row[3]) for row in sheet.rows if row[14] != DASH] == [(DASH, "AULA")]


def test_one_run_is_said_wherever_it_is_claimed_from(tmp_path: Path) -> None:
    study = make_study(tmp_path, ALL)
    assert "Models were fine-tuned once on bios, sts and nli" in told(presented(study)[1])


def test_changes_are_corrected_over_all_that_a_sentence_counts(whole: Study) -> None:
    changes = results_of(whole).changes
    p = changes["p"].dropna().sort_values()
    assert len(p) == 6
    corrected = np.minimum(1, np.maximum.accumulate(p * np.arange(len(p), 0, -1)))
    np.testing.assert_allclose(changes.loc[p.index, "p_holm"], corrected)


@pytest.mark.parametrize(
    ("models", "options", "drawn"),
    [
        ([ORIGIN], {"tasks": ("bios",)}, {"extrinsic"}),
        (ALL, {"tasks": ("nli",), "benchmark": False}, {"extrinsic", "changes"}),
    ],
    ids=["one model", "debiased without a benchmark"],
)
def test_less_of_a_study_is_shown_too(
    models: list[dict[str, Any]], options: dict[str, Any], drawn: set[str], tmp_path: Path
) -> None:
    texts, section = presented(make_study(tmp_path, models, **options))
    assert all(texts.values())
    assert {name for name in FIGURES if NO_FIGURE not in texts[f"{name}_svg"]} == drawn
    assert sum(isinstance(block, Chart) for block in section.every_block()) == len(drawn)


def test_without_a_tau_there_are_printed_ones_alone(tmp_path: Path) -> None:
    results = results_of(make_study(tmp_path, [ORIGIN], tasks=("bios",)))
    rows, sheet = PRESENTS.table("table2", results)
    assert len(rows) == 16 and rows["tau"].isna().all() and all(row[14] != DASH for row in sheet.rows)
    known = [("cp", "all", "CPS", "published"), (DASH, "all", "AULA", "published")]
    assert [row[1:5] for row in sheet.rows] == known
    assert sheet.rows[0][16] == "1 models; fewer than 8 tell nothing"
    results.__dict__["published"] = PUBLISHED[PUBLISHED["quantity"] != TAU]
    again, sheet = PRESENTS.table("table2", results)
    assert again.equals(rows) and sheet.rows == ()
    assert sheet.caption.endswith(EMPTY)


def test_the_papers_printed_values() -> None:
    taus = PUBLISHED[PUBLISHED["quantity"] == "tau"].set_index(["task", "measure", "when"])
    assert len(taus) == 18 and taus["dagger"].sum() == 3
    # tau's own test of 28 models: its normal deviate is 3 tau sqrt(n (n - 1) / (2 (2 n + 5)))
    assert taus["dagger"].equals(3 * taus["value"].abs() * (28 * 27 / (2 * 61)) ** 0.5 > 1.96)
    before, after = (taus.xs(when, level="when") for when in ("before", "after"))
    assert after["larger"].equals(after["value"] > before["value"]) and not before["larger"].any()
    words = PUBLISHED[PUBLISHED["table"] == "table1"].pivot(index="task", columns="quantity")
    ilps = np.log(words["value"]["feminine"] / words["value"]["masculine"])
    # none is rounded as it should be
    assert words["doubtful"]["ilps"].all() and (ilps.round(2) != words["value"]["ilps"]).all()
    assert (ilps - words["value"]["ilps"]).abs().max() < 0.02
    doubtful = [reason.partition(" ")[0] for reason in doubts(PUBLISHED)]
    assert doubtful == ["MNLI", "BiasBios", "STS-B", "BiasBios"]


# --- charts: their numbers are those of the tables


def data_of(results: DownstreamResults, name: str) -> pd.DataFrame:
    drawn: Any = PRESENTS.figure(name, results)[0]
    return pd.DataFrame(rows_drawn(drawn))


def same(ones: Any, others: Any) -> None:
    """The same numbers to the last digit, null where there is none."""
    np.testing.assert_array_equal(np.array(ones, float), np.array(others, float))


def measured(study: Study) -> pd.DataFrame:
    """The means over the runs, from the files."""
    every = [
        read_table(study.folder / task / model / "scores.parquet", SCORES).assign(
            task=task, model=model, panel=f"{task}: {PANELS[task]}", main=MAIN[task]
        )
        for task in MAIN
        for model in NAMES
    ]
    rows = pd.concat(every)
    return rows[rows["seed"].isna() & rows["group"].isna()]


def test_charts_have_the_numbers_of_the_files(whole: Study) -> None:
    results, every = results_of(whole), measured(whole)
    main, last = every[every["metric"] == every["main"]], every[every["step"] == 20]
    of_last = last[last["metric"] == last["main"]]
    ends, by_model = {"low": "low", "high": "high"}, {"panel": "panel", "model": "model"}
    bands = {"bias": "value", **ends, "chance_low": "null_low", "chance_high": "null_high"}
    extrinsic, changes, steps, against = (
        data_of(results, name) for name in ("extrinsic", "changes", "steps", "against")
    )
    check_shown(extrinsic.to_dict("records"), of_last, by_model, bands)
    truth = extrinsic.set_index("panel")["truth"]
    assert truth.dropna().to_dict() == pytest.approx({f"bios: {PANELS['bios']}": 0.3})
    check_shown(steps.to_dict("records"), main, by_model | {"step": "step"}, {"bias": "value", **ends})
    check_shown(
        changes.to_dict("records"), last[last["metric"] == "change"], by_model, {"change": "value", **ends}
    )
    known = of_last.set_index(["panel", "model"])["value"]
    for row in rows_of(changes):
        assert row.row == AWKWARD and row.model == f"b-{row.kind}"
        same([row.before, row.after], [known[row.panel, AWKWARD], known[row.panel, row.model]])
    once = against.drop_duplicates(["task", "model"]).to_dict("records")
    check_shown(once, of_last, {"task": "task", "model": "model"}, {"bias": "value"})


@pytest.mark.parametrize("bias_type", ["gender", "race"])
def test_charts_of_bias_scores_are_of_the_pairs_that_count(whole: Study, bias_type: str) -> None:
    """All pairs, where a benchmark has none of the bias type."""
    results = results_of(whole, bias_type=bias_type)
    group = "gender" if bias_type == "gender" else "all"
    assert any("no pairs of the bias type race" in each for each in results.remarks()) == (
        bias_type == "race"
    )

    def stated(name: str, measure: str) -> Any:
        file = read_table(whole.folder / f"bias/{name}.parquet", BIAS)
        file = file[(file["variant"] == "original") & (file["group"] == group) & (file["measure"] == measure)]
        return file[file["protocol"] == "corrected"][["score", "low", "high"]].iloc[0]

    against = data_of(results, "against")
    assert set(against["panel"]) == {f"{task}: {of} on cp" for task in MAIN for of in ("AULA", "CPS")}
    for panel, of_panel in against.groupby("panel"):
        measure = str(panel).split(" ")[1]
        same(of_panel["score"], [stated(model, measure)["score"] for model in of_panel["model"]])
        assert of_panel["debiased"].tolist() == ["none", "cda", "at"]


def test_of_many_models_every_family_has_a_panel_and_tasks_one_scale(whole: Study) -> None:
    models = families(MOST_CURVES)
    results = results_of(whole, models=models, tasks=[{"name": "bios"}])
    rows = [
        {"model": model["name"], "task": "bios", "step": step, "metric": "tpr_gap", "value": 0.01 * n * step}
        for n, model in enumerate(models, start=1)
        for step in (0, 5)
    ]
    results.__dict__["every_step"] = pd.DataFrame(rows).assign(seed=None, group=None, low=None, high=None)
    drawing: Any = PRESENTS.figure("steps", results)[0]
    panels, drawn = panels_of(drawing), data_of(results, "steps")
    titles = [("bios", f"mean |TPR gap|, m{family}") for family in range(MOST_CURVES)]
    assert [panel.title for panel in panels] == titles and set(drawn["kind"]) == {"as it was", "-cda"}
    scales = set()
    for panel in panels:
        of_panel = drawn[drawn["panel"] == ": ".join(panel.title)]
        scales.add(tuple(np.round(scale_of(of_panel["bias"], [mark.y for mark in panel.of("symbol")]), 6)))
    assert len(scales) == 1
