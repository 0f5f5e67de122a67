"""What is shown of downstream tasks: tables, figures and the section, made by the scripts of the workflow."""

import html
import math
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import pytest

from drawn_marks import check_forest, panels_of, scale_of
from library import (
    BIAS,
    DASH,
    MAKERS,
    MOST_CURVES,
    PAIRS,
    PUBLISHED_COLUMNS,
    TAU,
    Chart,
    DownstreamResults,
    Fold,
    Section,
    Table,
    doubts,
    framed,
    printed_taus,
    read_published,
    read_section,
    read_table,
    render_page,
    rows_of,
    tables,
    write_table,
)
from library import DOWNSTREAM_SCORES as SCORES
from made_study import RESOURCES, Study, make_study
from page_words import check_first_sentence
from running import present, run_script

PUBLISHED = read_published(RESOURCES / "downstream/published.csv", PUBLISHED_COLUMNS)
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


def presented(study: Study) -> tuple[dict[str, str], dict[str, str], Section]:
    """The texts of tables, those of figures, and the section."""
    both = [f"{name}_{form}" for name in ("overview", "table1", "table2") for form in ("csv", "md", "tex")]
    of_tables = {name: study.folder / name for name in [*both, "values_csv", "occupations_csv"]}
    drawn = {f"{name}_{form}": study.folder / f"{name}.{form}" for name in MAKERS for form in ("svg", "png")}
    outputs = {**of_tables, **drawn, "downstream": study.folder / "downstream.json"}
    present("downstream", study.files, outputs, study.folder / "log", study.settings)
    section = read_section(outputs["downstream"])
    check_first_sentence(section)
    svgs = {name: ElementTree.parse(drawn[f"{name}_svg"]).getroot().itertext() for name in MAKERS}
    texts = {name: path.read_text(encoding="utf-8") for name, path in of_tables.items()}
    return texts, {name: " ".join(svg) for name, svg in svgs.items()}, section


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Study:
    study = make_study(tmp_path_factory.mktemp("whole"), ALL, seeds=(0, 1), steps=(0, 10, 20))
    study.files["bias"] = [bias_of(study.folder, name) for name in NAMES[:2]]
    return study


def bias_of(folder: Path, model: str) -> str:
    """BIAS of a model, of AULA with an interval and of CPS without."""
    common: dict[str, Any] = {"protocol": "corrected", "clusters": "words", "n": 9, "neutral": 50.0}
    common |= {"score": 50.0, "confidence": 0.95}
    common |= dict.fromkeys(("stereotype", "antistereotype", "tie", "undefined", "near_ties"), 1)
    rows = [
        common
        | {"variant": variant, "measure": measure, "grouping": grouping, "group": group}
        | ({"low": low, "high": low + 20} if measure == "AULA" else {})
        for measure in ("AULA", "CPS")
        for variant, grouping, group, low in (
            ("original", "overall", "all", 40.0),
            ("original", "bias_type", "gender", 30.0),
            ("shuffled", "overall", "all", 1.0),
        )
    ]
    path = folder / f"{NAMES.index(model)}.bias.parquet"
    write_table(path, framed(rows, BIAS), BIAS, {"model": model, "benchmark": "cp"})
    return str(path)


@pytest.mark.slow
def test_all_of_a_whole_study_is_shown(whole: Study) -> None:
    texts, figures, section = presented(whole)
    for name, text in figures.items():
        assert MAKERS[name][1] not in text
        assert AWKWARD in text or name == "against_figure"
    said = " ".join(section.sentences)
    assert "On bios, true positive rates (TPR) of women and men differ by" in said
    assert "A model that has learnt this synthetic task gives 0.300" in said
    assert re.search("No change of extrinsic bias by .* is clear .*; 6 testable changes on bios, sts", said)
    # two runs each
    assert "once" not in said and "one run" not in said
    assert "is not known: 3 models" in said
    page = render_page("r", [section])
    assert "<h2>Extrinsic bias</h2>" in page and "<b> $x_1$" not in page and html.escape(AWKWARD) in page
    # every table is in a fold below the pictures
    assert [isinstance(block, Chart) for block in section.blocks[: len(MAKERS)]] == [True] * len(MAKERS)
    assert all(isinstance(block, Fold) for block in section.blocks[len(MAKERS) :])
    assert sum(isinstance(block, Table) for block in section.every_block()) == 3
    assert "a \\<b\\> \\$x\\_1\\$ & co" in texts["overview_md"]
    assert r"\$x\_1\$ \& co" in texts["overview_tex"]
    assert "20720?" in texts["table1_md"]
    assert all(part in texts["table2_md"] for part in ("↑", "0.30†", "fewer than 8"))


def test_tables_say_what_was_measured(whole: Study) -> None:
    results = results_of(whole)
    values = tables.values(results).query("task == 'bios' and model == 'b-cda'").set_index("metric")
    gap = values.loc["tpr_gap"]
    assert gap["truth"] == pytest.approx(0.3) and gap["value"] == pytest.approx(0.3, abs=0.1)
    assert "AULA on cp, all pairs, after" in values.index
    assert len(tables.overview(results)[0]) == 9
    occupations = tables.occupations(results)
    assert len(occupations) == 9 * 8
    first = occupations[(occupations["task"] == "bios") & (occupations["occupation"] == "occupation 00")]
    assert first["truth"].tolist() == pytest.approx([0.3] * 3)


@pytest.fixture(scope="module")
def eight(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return make_study(tmp_path_factory.mktemp("eight"), families(4), tasks=("bios",))


def test_a_tau_is_shown_with_both_tests(eight: Study) -> None:
    rows, sheet = tables.table2(results_of(eight))
    assert len(rows) == 8 and len(sheet.rows) == 4 + 1
    row = next(row for row in sheet.rows if row[3:5] == ("AULA", "published"))
    # tau, its p, that of families, and the models
    assert row[5] == "100" and DASH not in row[6:9] and row[9] == "8"
    # of which benchmark the printed ones of AULA are is not known
    assert row[14:16] == (DASH, DASH)
    row = next(row for row in sheet.rows if row[1] == DASH)
    assert row[3:5] == ("AULA", "published") and row[5:14] == (DASH,) * 9
    assert row[14:16] == (f"{MINUS}0.20", "0.11 ↑")
    cps = next(row for row in sheet.rows if row[3:5] == ("CPS", "published"))
    assert cps[14:16] == (f"{MINUS}0.17", f"{MINUS}0.17")
    assert all(row[14:16] == (DASH, DASH) for row in sheet.rows if row[4] == "corrected")


def test_both_numbers_of_pairs_are_named(eight: Study, tmp_path: Path) -> None:
    """All test instances, the paper's N, have the printed taus; sentences are of the pairs about gender."""
    names = [f"p{n}" for n in range(100)]
    sides = {"stereotype": "one", "antistereotype": "other", "direction": "stereo"}
    pairs = [
        {"pair_id": name, "bias_type": ("gender", "age")[n >= 30]} | sides for n, name in enumerate(names)
    ]
    files = eight.files | {"pairs": [str(tmp_path / "cp.parquet")], "correlations": str(tmp_path / "taus")}
    frame = pd.DataFrame(pairs).reindex(columns=PAIRS.names).astype(object)
    write_table(files["pairs"][0], frame, PAIRS, {"benchmark": "cp"})
    inputs = {name: files[name] for name in ("scores_before", "scores_after", "pairs")}
    settings = {key: eight.settings[key] for key in ("models", "benchmarks", "measures")}
    settings |= {"tasks": ["bios"], "bias_type": "gender"}
    inputs |= {"extrinsic": files["scores"]}
    run_script("correlate_downstream", inputs, [files["correlations"]], tmp_path / "log", **settings)
    results = DownstreamResults(files, eight.settings | {"bias_type": "gender"})
    _, sheet = tables.table2(results)
    of_cps = {row[2]: row for row in sheet.rows if row[3:5] == ("CPS", "published")}
    assert {pairs: row[5] for pairs, row in of_cps.items()} == {"all": "100", "gender": "30"}
    assert of_cps["all"][14:16] == (f"{MINUS}0.17",) * 2 and of_cps["gender"][14:16] == (DASH, DASH)
    assert of_cps["all"][6] != of_cps["gender"][6]
    # by hand: the pairs about gender that prefer the stereotype
    path = next(path for path in files["scores_before"] if Path(path).stem == "m0")
    raw = pd.read_parquet(path).query("measure == 'CPS' and protocol == 'corrected'")
    prefers = raw["pair_id"].astype(str).isin(names[:30]) & (raw["outcome"].astype(str) == "stereotype")
    values = tables.values(results).query("model == 'm0'").set_index("metric")
    assert values["value"]["CPS on cp, gender pairs, before"] == pytest.approx(100 * prefers.sum() / 30)
    assert [values["n"][f"CPS on cp, {pairs} pairs, before"] for pairs in ("gender", "all")] == [30, 100]
    assert set(results.that_count(results.correlations)["pairs"]) == {"gender"}
    assert set(results.that_count(results.intrinsic["before"])["n"]) == {30}


def test_printed_taus_stand_beside_their_own_benchmark(eight: Study) -> None:
    """SSS is of StereoSet and CPS of CrowS-Pairs, whatever else a study scores them on."""
    printed = {(measure, name) for _, measure, name in printed_taus(PUBLISHED)}
    assert printed == {("CPS", "crows-pairs"), ("SSS", "stereoset"), ("AULA", None)}
    # ours are scored on StereoSet alone, or on a benchmark of no published name
    for names in ({"cp": "stereoset"}, {}):
        _, sheet = tables.table2(results_of(eight, published=names))
        assert [(row[1], row[3]) for row in sheet.rows if row[14] != DASH] == [(DASH, "AULA")]


def test_one_run_is_said_wherever_it_is_claimed_from(tmp_path: Path) -> None:
    study = make_study(tmp_path, ALL)
    tidy, sheet = tables.overview(results_of(study))
    assert tidy["runs"].eq(1).all() and {row[-1] for row in sheet.rows} == {"1"}
    claims = presented(study)[2].sentences
    for start in ("Models were fine-tuned once on bios, sts and nli", "After cda", "After at", "No change "):
        (claim,) = [one for one in claims if one.startswith(start)]
        assert "once" in claim or "one run each" in claim


def test_changes_are_corrected_over_all_that_a_sentence_counts(whole: Study) -> None:
    changes = results_of(whole).changes
    p = changes["p"].dropna().sort_values()
    assert len(p) == 6
    corrected = np.minimum(1, np.maximum.accumulate(p * np.arange(len(p), 0, -1)))
    np.testing.assert_allclose(changes.loc[p.index, "p_holm"], corrected)


@pytest.mark.parametrize(
    ("models", "options", "drawn"),
    [
        ([ORIGIN], {"tasks": ("bios",)}, {"extrinsic", "intrinsic"}),
        (ALL, {"tasks": ("nli",), "benchmark": False}, {"extrinsic", "changes"}),
    ],
    ids=["one model", "debiased without a benchmark"],
)
def test_less_of_a_study_is_shown_too(
    models: list[dict[str, Any]], options: dict[str, Any], drawn: set[str], tmp_path: Path
) -> None:
    texts, figures, section = presented(make_study(tmp_path, models, **options))
    assert all(texts.values())
    there = {name.removesuffix("_figure") for name in MAKERS if MAKERS[name][1] not in figures[name]}
    assert there == drawn and sum(isinstance(block, Chart) for block in section.blocks) == len(drawn)


def test_without_a_tau_there_are_printed_ones_alone(tmp_path: Path) -> None:
    results = results_of(make_study(tmp_path, [ORIGIN], tasks=("bios",)))
    rows, sheet = tables.table2(results)
    assert len(rows) == 8 and rows["tau"].isna().all() and all(row[14] != DASH for row in sheet.rows)
    known = [("cp", "all", "CPS", "published"), (DASH, "all", "AULA", "published")]
    assert [row[1:5] for row in sheet.rows] == known
    assert sheet.rows[0][16] == "1 models; fewer than 8 tell nothing"
    results.__dict__["published"] = PUBLISHED[PUBLISHED["quantity"] != TAU]
    again, sheet = tables.table2(results)
    assert again.equals(rows) and sheet.rows == ()
    assert sheet.caption.endswith(" There is no tau: 1 models; fewer than 8 tell nothing.")


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
    assert [reason.partition(" ")[0] for reason in doubts(PUBLISHED)] == [
        "MNLI",
        "BiasBios",
        "STS-B",
        "BiasBios",
    ]


# --- charts: their numbers are those of the tables


@pytest.fixture(scope="module")
def charts(whole: Study) -> dict[str, alt.FacetChart]:
    results = results_of(whole)
    return {name: each for name, (make, _) in MAKERS.items() if (each := make(results))}


def data_of(chart: alt.FacetChart) -> pd.DataFrame:
    return pd.DataFrame(chart.to_dict()["datasets"].popitem()[1])


def same(ones: Any, others: Any) -> None:
    """The same numbers to the last digit, null where there is none."""
    np.testing.assert_array_equal(np.array(ones, float), np.array(others, float))


def measured(study: Study, task: str, metric: str, model: str) -> pd.DataFrame:
    """The means over the runs, by step, from the file."""
    rows = read_table(study.folder / task / model / "scores.parquet", SCORES)
    rows = rows[rows["seed"].isna() & rows["group"].isna() & (rows["metric"] == metric)]
    return rows.sort_values("step").set_index("step")


def test_charts_have_the_numbers_of_the_tables(whole: Study, charts: dict[str, alt.FacetChart]) -> None:
    data = {name: data_of(chart) for name, chart in charts.items()}
    for task, metric in MAIN.items():
        panel = f"{task}: {PANELS[task]}"
        extrinsic, changes, steps, against = (
            data[f"{name}_figure"] for name in ("extrinsic", "changes", "steps", "against")
        )
        of_task = extrinsic[extrinsic["panel"] == panel].set_index("model")
        assert of_task.index.tolist() == NAMES
        for model in NAMES:
            every = measured(whole, task, metric, model)
            row, last = of_task.loc[model], every.loc[20]
            known = ["value", "low", "high", "null_low", "null_high"]
            same(row[["bias", "low", "high", "chance_low", "chance_high"]], last[known])
            same(
                row["truth"] if task != "bios" else round(row["truth"], 9),
                0.3 if task == "bios" else math.nan,
            )
            curve = steps[(steps["panel"] == panel) & (steps["model"] == model)]
            assert curve["step"].tolist() == every.index.tolist() == [0, 10, 20]
            same(curve[["bias", "low", "high"]], every[["value", "low", "high"]])
            points = against[(against["task"] == task) & (against["model"] == model)]
            assert points["bias"].tolist() == [last["value"]] * 2
        for row in rows_of(changes[changes["panel"] == panel]):
            change = measured(whole, task, "change", row.model).loc[20]
            assert row.row == AWKWARD and row.model == f"b-{row.kind}"
            same([row.before, row.after], of_task.loc[[AWKWARD, row.model], "bias"])
            same([row.low, row.high], change[["low", "high"]])
            assert row.change == pytest.approx(change["value"], abs=1e-12)


def test_charts_of_bias_scores_have_those_of_their_files(
    whole: Study, charts: dict[str, alt.FacetChart]
) -> None:
    results = results_of(whole)
    scores = {
        when: rows.set_index(["model", "measure"])["score"].to_dict()
        for when, rows in results.intrinsic.items()
    }
    rows = rows_of(data_of(charts["intrinsic_figure"]))
    assert {row.panel for row in rows} == {"cp"} and len(rows) == 6
    for row in rows:
        assert row.score == scores["before"][row.model, row.measure]
        known = row.measure == "AULA" and row.model in NAMES[:2]
        same([row.low, row.high], [40.0, 60.0] if known else [np.nan] * 2)
        later = [scores["after"][f"{row.model}@{task}", row.measure] for task in MAIN]
        assert row.after == pytest.approx(sum(later) / 3, rel=1e-14)
    against = data_of(charts["against_figure"])
    assert set(against["panel"]) == {f"{task}: {of} on cp" for task in MAIN for of in ("AULA", "CPS")}
    for panel, of_panel in against.groupby("panel"):
        measure = str(panel).split(" ")[1]
        same(of_panel["score"], [scores["before"][model, measure] for model in of_panel["model"]])
        assert of_panel["debiased"].tolist() == ["none", "cda", "at"]


def test_charts_are_drawn_where_their_axes_say(charts: dict[str, alt.FacetChart]) -> None:
    check_forest(charts["extrinsic_figure"], "bias", band=("chance_low", "chance_high"), line=0)
    panels = panels_of(charts["extrinsic_figure"])
    assert [panel.title for panel in panels] == list(PANELS.items())
    # a truth is known of one
    assert [sum(rule.x == rule.x2 for rule in panel.of("rule")) for panel in panels] == [2, 1, 1]
    check_forest(charts["intrinsic_figure"], "score", line=50)
    rows = data_of(charts["against_figure"])
    for panel in panels_of(charts["against_figure"]):
        of_panel, marks = rows[rows["panel"] == ": ".join(panel.title)], panel.of("symbol")
        assert scale_of(of_panel["score"], [mark.x for mark in marks])[0] > 0
        assert scale_of(of_panel["bias"], [mark.y for mark in marks])[0] < 0


@pytest.mark.parametrize(("bias_type", "low"), [("gender", 30.0), ("race", 40.0), (None, 40.0)])
def test_intervals_are_of_the_pairs_that_count(
    whole: Study, tmp_path: Path, bias_type: str | None, low: float
) -> None:
    pair = {"pair_id": "p", "bias_type": "gender", "stereotype": "a b", "antistereotype": "a c"}
    write_table(tmp_path / "cp.parquet", framed([pair | {"ratings": ["gender"]}], PAIRS), PAIRS, {})
    files = {"pairs": [str(tmp_path / "cp.parquet")], "bias": whole.files["bias"]}
    # all pairs, where a benchmark has none of the bias type
    intervals = DownstreamResults(files, whole.settings | {"bias_type": bias_type}).intervals.dropna()
    assert intervals.to_numpy().tolist() == [[model, "cp", "AULA", low, low + 20] for model in NAMES[:2]]


def test_of_many_models_every_family_has_a_panel_and_tasks_one_scale(whole: Study) -> None:
    models = families(MOST_CURVES)
    results = DownstreamResults({}, whole.settings | {"models": models, "tasks": [{"name": "bios"}]})
    rows = [
        {
            "model": model["name"],
            "task": "bios",
            "step": step,
            "metric": "tpr_gap",
            "value": 0.01 * (n + 1) * step,
        }
        for n, model in enumerate(models)
        for step in (0, 5)
    ]
    results.__dict__["every_step"] = pd.DataFrame(rows).assign(seed=None, group=None, low=None, high=None)
    drawing = MAKERS["steps_figure"][0](results)
    assert drawing is not None
    panels, drawn = panels_of(drawing), data_of(drawing)
    assert [panel.title for panel in panels] == [
        ("bios", f"mean |TPR gap|, m{family}") for family in range(MOST_CURVES)
    ]
    assert set(drawn["kind"]) == {"as it was", "-cda"}
    scales = set()
    for panel in panels:
        of_panel = drawn[drawn["panel"] == ": ".join(panel.title)]
        scales.add(tuple(np.round(scale_of(of_panel["bias"], [mark.y for mark in panel.of("symbol")]), 6)))
    assert len(scales) == 1
