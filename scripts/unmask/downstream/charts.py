"""The charts of downstream tasks."""

import altair as alt
import pandas as pd

from unmask.downstream.correlation import main_metrics
from unmask.downstream.results import DownstreamResults
from unmask.downstream.tables import NAMES
from unmask.downstream.terms import LEAST_SEEN
from unmask.measures.formulas import title_of
from unmask.report.changes import changes_chart
from unmask.report.declared_tables import in_order
from unmask.report.forms import Axis, Beside, Grid, Kinds, forest, scatter
from unmask.report.panels import columns_of
from unmask.statistics.decisions import NO_PREFERENCE

MOST_CURVES = 7
"""Curves of a panel; where there would be more, every family of models has a panel."""

EXTRINSIC = "extrinsic bias"


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
    return forest(
        frame,
        Axis(EXTRINSIC, line=0, independent=True),
        name="model",
        value="bias",
        broad=("chance_low", "chance_high"),
        beside=[Beside("truth", "tick", "truth")],
        names=results.models,
        grid=Grid(between=": "),
    )


def _panels(results: DownstreamResults, rows: pd.DataFrame) -> "pd.Series[str]":
    """The task of each row with the name of its main metric."""
    metrics = results.main.drop_duplicates("task").set_index("task")["metric"]
    return rows["task"] + ": " + rows["task"].map(metrics).map(NAMES)


def changes(results: DownstreamResults) -> alt.FacetChart | None:
    """What debiasing changes of the bias in every task; origins down, methods by colour and shape."""
    frame = columns_of(
        results.changes,
        *("model", "low", "high", "p_holm", "before", "after"),
        panel=_panels(results, results.changes),
        row="origin",
        kind="method",
    )
    return changes_chart(frame, Axis(EXTRINSIC, line=0, independent=True))


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
        debiased=rows["model"].map(results.methods).replace("", "none"),
        bias="value",
        bias_low="low_bias",
        bias_high="high_bias",
    )
    frame = frame[panel.groupby(panel).transform("size") >= LEAST_SEEN]
    return scatter(
        frame,
        Axis("stereotype preferred, of 100 pairs", line=NO_PREFERENCE),
        Axis(EXTRINSIC, zero=True),
        across="score",
        up="bias",
        across_interval=("low", "high"),
        up_interval=("bias_low", "bias_high"),
        kinds=Kinds("debiased", "debiased by") if any(results.methods.values()) else None,
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
        kind = rows["model"].map(results.methods).replace("", "as it was")
    frame = columns_of(rows, "task", "model", "step", "low", "high", panel=panel, kind=kind, bias="value")
    return scatter(
        frame,
        Axis("steps of fine-tuning", independent=True),
        Axis(EXTRINSIC, zero=True),
        across="step",
        up="bias",
        joined=True,
        kinds=Kinds("kind", "debiased by" if by_family else "model"),
        each="model",
        grid=Grid(between=": "),
    )
