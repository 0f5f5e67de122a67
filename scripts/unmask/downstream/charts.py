"""The charts of downstream tasks."""

import altair as alt
import pandas as pd

from unmask.downstream.results import DownstreamResults
from unmask.downstream.scores import main_metrics
from unmask.downstream.tables import DECIMALS, NAMES
from unmask.downstream.terms import AFTER, BEFORE, LEAST_SEEN, fine_tuned
from unmask.measures.names import title_of
from unmask.report.changes import changes_chart
from unmask.report.forms import Axis, Beside, Grid, Kinds, forest, response, scatter
from unmask.report.panels import by_value, columns_of, ends_of
from unmask.statistics.decisions import NO_PREFERENCE

_FORM = f".{DECIMALS}f"

NOT_DEBIASED = "none"
"""The method of debiasing of a model that was not debiased."""

MOST_CURVES = 7
"""Curves of a panel; where there would be more, every family of models has a panel."""

EXTRINSIC = "extrinsic bias"
INTRINSIC = Axis("stereotype preferred, of 100 pairs", line=NO_PREFERENCE)


def extrinsic(results: DownstreamResults) -> alt.FacetChart | None:
    """Extrinsic bias with what chance gives: a panel a task, models down the rows."""
    rows = by_value(results.main, "task", results.tasks)
    frame = columns_of(
        rows,
        *("model", "low", "high", "truth"),
        panel=rows["task"].map(_titles(results)),
        bias="value",
        chance_low="null_low",
        chance_high="null_high",
    )
    tips = (
        ("panel", "what"),
        ("model", "model"),
        ("bias", EXTRINSIC, _FORM),
        *ends_of(_FORM),
        *ends_of(_FORM, "chance_low", "chance_high", "by chance"),
        ("truth", "truth", _FORM),
    )
    return forest(
        frame,
        Axis(EXTRINSIC, line=0, independent=True),
        tips,
        name="model",
        value="bias",
        broad=("chance_low", "chance_high"),
        beside=[Beside("truth", "line", "truth")],
        names=results.models,
        grid=Grid(between=": "),
    )


def _titles(results: DownstreamResults) -> dict[str, str]:
    """The name of the panel of each task."""
    return {task: f"{task}: {NAMES[results.main_metric(task)]}" for task in results.tasks}


def intrinsic(results: DownstreamResults) -> alt.FacetChart | None:
    """Bias scores of the models before fine-tuning, and after it (rings): a panel a benchmark, models down
    the rows, measures by colour and shape."""
    tips = (
        ("panel", "what"),
        ("model", "model"),
        ("measure", "measure"),
        ("score", "stereotype preferred, of 100", ".1f"),
        *ends_of(".1f"),
        ("after", "after fine-tuning, mean over tasks", ".1f"),
    )
    return forest(
        _scores(results).rename(columns={"benchmark": "panel"}),
        INTRINSIC,
        tips,
        name="model",
        value="score",
        kinds=Kinds("measure", "bias score"),
        apart="measure",
        beside=[Beside("after", "ring")],
        names=results.models,
    )


def _scores(results: DownstreamResults) -> pd.DataFrame:
    """Bias scores of the models as they were, and after fine-tuning, by benchmark, measure and model."""
    before, after = (results.that_count(results.intrinsic[when]) for when in (BEFORE, AFTER))
    keys = ["model", "benchmark", "measure"]
    tuned = {fine_tuned(model, task): model for model in results.models for task in results.tasks}
    later = after.assign(model=after["model"].map(tuned)).groupby(keys)["score"].mean().rename("after")
    rows = by_value(before.merge(later.reset_index(), "left", keys), "model", results.models)
    rows = by_value(rows, "measure", results.measures)
    rows = by_value(rows, "benchmark", results.benchmarks)
    columns = ("benchmark", "model", "score", "low", "high", "after")
    return columns_of(rows, *columns, measure=rows["measure"].map(title_of))


def changes(results: DownstreamResults) -> alt.FacetChart | None:
    """What debiasing changes of the bias in every task; origins down, methods by colour and shape."""
    rows = results.changes
    rows = rows[rows["model"].isin(results.origins)]
    biases = results.main.set_index(["task", "model"])["value"].to_dict()
    origins = rows["model"].map(results.origins)
    frame = columns_of(
        rows,
        *("model", "low", "high", "p_holm"),
        panel=rows["task"].map(_titles(results)),
        row=origins,
        kind=rows["model"].map({model.name: model.role or model.name for model in results.roles}),
        before=[biases[key] for key in zip(rows["task"], origins, strict=True)],
        after=[biases[key] for key in zip(rows["task"], rows["model"], strict=True)],
    )
    return changes_chart(frame, Axis(EXTRINSIC, line=0, independent=True), DECIMALS)


def against(results: DownstreamResults) -> alt.FacetChart | None:
    """Extrinsic bias against the bias score before it, a point a model, a panel a task and score."""
    methods = {model.name: model.role or NOT_DEBIASED for model in results.roles}
    main = by_value(results.main, "task", results.tasks)
    biases = columns_of(main, "task", "model", bias="value", bias_low="low", bias_high="high")
    scores = _scores(results)
    rows = biases.merge(scores, on="model")
    name = rows["task"] + ": " + rows["measure"] + " on " + rows["benchmark"]
    seen = name.groupby(name).transform("size") >= LEAST_SEEN
    frame = columns_of(
        rows,
        *("task", "model", "score", "low", "high", "bias", "bias_low", "bias_high"),
        panel=name,
        debiased=rows["model"].map(methods),
    )[seen]
    # within a task by benchmark and measure
    order = (scores["measure"] + " on " + scores["benchmark"]).drop_duplicates()
    frame = by_value(frame, "panel", [f"{task}: {score}" for task in results.tasks for score in order])
    tips = (
        ("panel", "what"),
        ("model", "model"),
        ("debiased", "debiased by"),
        ("score", "stereotype preferred, of 100", _FORM),
        *ends_of(_FORM),
        ("bias", EXTRINSIC, _FORM),
        *ends_of(_FORM, "bias_low", "bias_high", f"interval of {EXTRINSIC}"),
    )
    return scatter(
        frame,
        INTRINSIC,
        Axis(EXTRINSIC, zero=True),
        tips,
        across="score",
        up="bias",
        across_interval=("low", "high"),
        up_interval=("bias_low", "bias_high"),
        kinds=Kinds("debiased", "debiased by") if frame["debiased"].ne(NOT_DEBIASED).any() else None,
        grid=Grid(between=": "),
    )


def steps(results: DownstreamResults) -> alt.FacetChart | None:
    """Extrinsic bias by steps of fine-tuning, a panel a task: a line a model with its interval. None where no
    run has predictions between its first and its last step."""
    rows = main_metrics(results.every_step)
    rows = rows[rows.groupby(["task", "model"])["step"].transform("nunique") > 1]
    if rows.empty:
        return None
    rows = by_value(rows.sort_values("step", kind="stable"), "model", results.models)
    rows = by_value(rows, "task", results.tasks)
    by_family = rows.groupby("task")["model"].nunique().max() > MOST_CURVES
    panel = rows["task"] + ": " + rows["metric"].map(NAMES)
    kind = rows["model"]
    if by_family:
        panel += ", " + rows["model"].map({model.name: model.family for model in results.roles})
        kind = rows["model"].map({model.name: model.role or "as it was" for model in results.roles})
    frame = columns_of(rows, "task", "model", "step", "low", "high", panel=panel, kind=kind, bias="value")
    tips = (
        ("panel", "what"),
        ("model", "model"),
        ("step", "step", "d"),
        ("bias", EXTRINSIC, _FORM),
        *ends_of(_FORM),
    )
    return response(
        frame,
        Axis("steps of fine-tuning", independent=True),
        Axis(EXTRINSIC, zero=True),
        tips,
        dose="step",
        value="bias",
        kinds=Kinds("kind", "debiased by" if by_family else "model"),
        each="model",
        grid=Grid(between=": "),
    )
