"""Charts of downstream tasks: their numbers against the tables, and where they are drawn."""

import math
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import pytest

from drawn_marks import check_forest, panels_of, scale_of
from library import BIAS, MAKERS, MOST_CURVES, PAIRS, DownstreamResults, framed, rows_of, write_table
from made_study import Study, make_study

TASKS = {"bios": "mean |TPR gap|", "sts": "mean |Δ|", "nli": "difference in FN, women and men"}
ORIGIN = {"name": "b", "family": "b", "role": ""}
MODELS: list[dict[str, Any]] = [
    ORIGIN,
    *({"name": f"b-{method}", "family": "b", "role": method, "origin": "b"} for method in ("cda", "at")),
]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    study = make_study(tmp_path_factory.mktemp("charts"), MODELS, steps=(0, 10, 20))
    study.files["bias"] = [bias_of(study.folder, str(model["name"])) for model in MODELS[:2]]
    return study


def bias_of(folder: Path, model: str) -> str:
    """BIAS of a model, of AULA with an interval and of CPS without."""
    common: dict[str, Any] = {
        "variant": "original",
        "protocol": "corrected",
        "clusters": "words",
        "n": 9,
        "neutral": 50.0,
    }
    common |= dict.fromkeys(("stereotype", "antistereotype", "tie", "undefined", "near_ties"), 1)
    rows = [
        common
        | {"measure": measure, "grouping": grouping, "group": group, "score": 50.0, "confidence": 0.95}
        | ({"low": low, "high": low + 20} if measure == "AULA" else {})
        for measure in ("AULA", "CPS")
        for grouping, group, low in (("overall", "all", 40.0), ("bias_type", "gender", 30.0))
    ]
    rows += [row | {"variant": "shuffled", "low": 1.0, "high": 2.0} for row in rows]
    path = folder / f"{model}.bias.parquet"
    write_table(path, framed(rows, BIAS), BIAS, {"model": model, "benchmark": "cp"})
    return str(path)


@pytest.fixture(scope="module")
def results(study: Study) -> DownstreamResults:
    return DownstreamResults(study.files, study.settings)


@pytest.fixture(scope="module")
def charts(results: DownstreamResults) -> dict[str, alt.FacetChart]:
    return {name: each for name, (make, _) in MAKERS.items() if (each := make(results))}


def data_of(chart: alt.FacetChart) -> pd.DataFrame:
    return pd.DataFrame(chart.to_dict()["datasets"].popitem()[1])


def same(ones: Any, others: Any) -> None:
    """The same numbers to the last digit, null where there is none."""
    np.testing.assert_array_equal(np.array(ones, float), np.array(others, float))


def measured(results: DownstreamResults, task: str, metric: str) -> pd.DataFrame:
    rows = results.every_step
    rows = rows[(rows["task"] == task) & (rows["metric"] == metric) & rows["seed"].isna()]
    last: pd.DataFrame = rows[rows["group"].isna() & (rows["step"] == 20)].set_index("model")
    return last


METRICS = {"bios": "tpr_gap", "sts": "delta", "nli": "fn_gap"}


def test_extrinsic_bias_is_that_of_the_tables(
    results: DownstreamResults, charts: dict[str, alt.FacetChart]
) -> None:
    rows = data_of(charts["extrinsic_figure"])
    columns = {"bias": "value", "low": "low", "high": "high", "chance_low": "null_low"}
    for task, name in TASKS.items():
        of_task = rows[rows["panel"] == f"{task}: {name}"]
        assert of_task["model"].tolist() == ["b", "b-cda", "b-at"]
        expected = measured(results, task, METRICS[task]).loc[of_task["model"]]
        for field, column in (columns | {"chance_high": "null_high"}).items():
            same(of_task[field], expected[column])
        truth = pytest.approx([0.3 if task == "bios" else math.nan] * 3, nan_ok=True)
        assert of_task["truth"].tolist() == truth


def test_extrinsic_bias_is_drawn_where_the_axes_say(charts: dict[str, alt.FacetChart]) -> None:
    check_forest(charts["extrinsic_figure"], "bias", band=("chance_low", "chance_high"), line=0)
    panels = panels_of(charts["extrinsic_figure"])
    assert [panel.title for panel in panels] == list(TASKS.items())
    # a truth is known of one
    assert [sum(rule.x == rule.x2 for rule in panel.of("rule")) for panel in panels] == [2, 1, 1]
    check_forest(charts["intrinsic_figure"], "score", line=50)


def test_bias_scores_have_their_intervals_where_there_are_some(
    study: Study, results: DownstreamResults, charts: dict[str, alt.FacetChart]
) -> None:
    rows = rows_of(data_of(charts["intrinsic_figure"]))
    assert {row.panel for row in rows} == {"cp"} and len(rows) == 6
    before, after = (rows_of(results.intrinsic[when]) for when in ("before", "after"))
    scores = {(row.model, row.measure): row.score for row in before}
    for row in rows:
        key = row.model, row.measure
        assert row.score == scores[key]
        known = row.measure == "AULA" and row.model in ("b", "b-cda")
        same([row.low, row.high], [40.0, 60.0] if known else [np.nan] * 2)
        later = [each.score for each in after if (each.model.split("@")[0], each.measure) == key]
        assert len(later) == 3 and row.after == pytest.approx(sum(later) / 3, rel=1e-14)


@pytest.mark.parametrize(("bias_type", "low"), [("gender", 30.0), ("race", 40.0), (None, 40.0)])
def test_intervals_are_of_the_pairs_that_count(
    study: Study, tmp_path: Path, bias_type: str | None, low: float
) -> None:
    pair = {
        "pair_id": "p",
        "bias_type": "gender",
        "stereotype": "a b",
        "antistereotype": "a c",
        "ratings": ["gender"],
    }
    write_table(tmp_path / "cp.parquet", framed([pair], PAIRS), PAIRS, {})
    files = {"pairs": [str(tmp_path / "cp.parquet")], "bias": study.files["bias"]}
    # all pairs, where a benchmark has none of the bias type
    settings = study.settings | {"bias_type": bias_type}
    intervals = DownstreamResults(files, settings).intervals.dropna()
    assert intervals.to_numpy().tolist() == [[model, "cp", "AULA", low, low + 20] for model in ("b", "b-cda")]


def test_changes_are_those_from_the_model_before(
    results: DownstreamResults, charts: dict[str, alt.FacetChart]
) -> None:
    rows = data_of(charts["changes_figure"])
    assert len(rows) == 6 and set(rows["row"]) == {"b"}
    for row in rows_of(rows):
        task = row.panel.split(": ")[0]
        values = measured(results, task, METRICS[task])["value"]
        assert (row.before, row.after) == (values["b"], values[row.model])
        change = measured(results, task, "change").loc[row.model]
        assert row.change == pytest.approx(change["value"], abs=1e-12)
        same([row.low, row.high], [change["low"], change["high"]])
        assert row.model == f"b-{row.kind}"


def test_extrinsic_bias_stands_against_bias_scores(
    results: DownstreamResults, charts: dict[str, alt.FacetChart]
) -> None:
    rows = data_of(charts["against_figure"])
    assert set(rows["panel"]) == {f"{task}: {measure} on cp" for task in TASKS for measure in ("AULA", "CPS")}
    before = rows_of(results.intrinsic["before"])
    scores = {(row.model, row.measure): row.score for row in before}
    for panel in panels_of(charts["against_figure"]):
        of_panel = rows[rows["panel"] == ": ".join(panel.title)]
        measure, task = panel.title[1].split(" ")[0], panel.title[0]
        same(of_panel["score"], [scores[model, measure] for model in of_panel["model"]])
        same(of_panel["bias"], measured(results, task, METRICS[task]).loc[of_panel["model"], "value"])
        assert of_panel["debiased"].tolist() == ["none", "cda", "at"]
        marks = panel.of("symbol")
        across, _ = scale_of(of_panel["score"], [mark.x for mark in marks])
        up, _ = scale_of(of_panel["bias"], [mark.y for mark in marks])
        assert across > 0 > up


def test_curves_are_those_of_the_tables(
    results: DownstreamResults, charts: dict[str, alt.FacetChart]
) -> None:
    rows = data_of(charts["steps_figure"])
    assert set(rows["panel"]) == {f"{task}: {name}" for task, name in TASKS.items()}
    for (panel, model), curve in rows.groupby(["panel", "model"]):
        task = str(panel).split(": ")[0]
        every = results.every_step
        every = every[(every["task"] == task) & (every["model"] == model) & every["seed"].isna()]
        every = every[(every["metric"] == METRICS[task]) & every["group"].isna()].sort_values("step")
        assert curve["step"].tolist() == every["step"].tolist() == [0, 10, 20]
        for field, column in (("bias", "value"), ("low", "low"), ("high", "high")):
            same(curve[field], every[column])
        assert set(curve["kind"]) == {model}


def test_of_many_models_every_family_has_a_panel_and_tasks_one_scale(study: Study) -> None:
    families = [f"m{n}" for n in range(MOST_CURVES)]
    models = [
        {"name": f"{family}{role}", "family": family, "role": role, **({"origin": family} if role else {})}
        for family in families
        for role in ("", "-cda")
    ]
    results = DownstreamResults(
        {"scores": []}, study.settings | {"models": models, "tasks": [{"name": "bios"}]}
    )
    places = [(n, str(model["name"]), step) for n, model in enumerate(models) for step in (0, 5)]
    rows = pd.DataFrame(
        {
            "model": [name for _, name, _ in places],
            "task": "bios",
            "step": [step for *_, step in places],
            "metric": "tpr_gap",
            "value": [0.01 * (n + 1) * step for n, _, step in places],
            **dict.fromkeys(("seed", "group", "low", "high")),
        }
    )
    results.__dict__["every_step"] = rows
    drawing = MAKERS["steps_figure"][0](results)
    assert drawing is not None
    panels = panels_of(drawing)
    assert [panel.title for panel in panels] == [("bios", f"mean |TPR gap|, {family}") for family in families]
    drawn_rows = data_of(drawing)
    assert set(drawn_rows["kind"]) == {"as it was", "-cda"}
    scales = set()
    for panel in panels:
        of_panel = drawn_rows[drawn_rows["panel"] == ": ".join(panel.title)]
        scales.add(tuple(np.round(scale_of(of_panel["bias"], [mark.y for mark in panel.of("symbol")]), 6)))
    assert len(scales) == 1
