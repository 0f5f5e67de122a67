"""The charts of downstream tasks."""

import altair as alt
import pandas as pd

from unmask.downstream.correlation import main_metrics
from unmask.downstream.results import DownstreamResults
from unmask.downstream.tables import DECIMALS, NAMES
from unmask.downstream.terms import LEAST_SEEN
from unmask.measures.names import title_of
from unmask.report.changes import changes_chart
from unmask.report.declared_tables import in_order
from unmask.report.forms import Axis, Beside, Grid, Kinds, forest, response, scatter
from unmask.report.panels import columns_of, ends_of
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
    frame = columns_of(
        results.main,
        *("model", "low", "high", "truth"),
        panel=_panels(results, results.main),
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


def _panels(results: DownstreamResults, rows: pd.DataFrame) -> "pd.Series[str]":
    """The task of each row with the name of its main metric."""
    metrics = results.main.drop_duplicates("task").set_index("task")["metric"]
    return rows["task"] + ": " + rows["task"].map(metrics).map(NAMES)


def changes(results: DownstreamResults) -> alt.FacetChart | None:
    """What debiasing changes of the bias in every task; origins down, methods by colour and shape."""
    rows = results.changes
    rows = rows[rows["model"].isin(results.origins)]
    biases = results.main.set_index(["task", "model"])["value"].to_dict()
    origins = rows["model"].map(results.origins)
    frame = columns_of(
        rows,
        *("model", "low", "high", "p_holm"),
        panel=_panels(results, rows),
        row=origins,
        kind=rows["model"].map({model.name: model.role or model.name for model in results.roles}),
        before=[biases[key] for key in zip(rows["task"], origins, strict=True)],
        after=[biases[key] for key in zip(rows["task"], rows["model"], strict=True)],
    )
    return changes_chart(frame, Axis(EXTRINSIC, line=0, independent=True), DECIMALS)


def against(results: DownstreamResults) -> alt.FacetChart | None:
    """Extrinsic bias against the bias score before it, a point a model, a panel a task and score."""
    scores = results.that_count(results.intrinsic)
    rows = results.main.merge(scores, on="model", suffixes=("_bias", ""))
    rows = in_order(rows, task=results.tasks, benchmark=results.benchmarks, measure=results.measures)
    panel = rows["task"] + ": " + rows["measure"].map(title_of) + " on " + rows["benchmark"]
    frame = columns_of(
        rows,
        *("task", "model", "score", "low", "high"),
        panel=panel,
        debiased=rows["model"].map({model.name: model.role or NOT_DEBIASED for model in results.roles}),
        bias="value",
        bias_low="low_bias",
        bias_high="high_bias",
    )
    frame = frame[panel.groupby(panel).transform("size") >= LEAST_SEEN]
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
    by_family = rows.groupby("task")["model"].nunique().max() > MOST_CURVES
    panel, kind = rows["task"] + ": " + rows["metric"].map(NAMES), rows["model"]
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
