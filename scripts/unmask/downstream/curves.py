"""The chart of bias in use over fine-tuning."""

import altair as alt
import pandas as pd

from unmask.downstream.results import Found
from unmask.downstream.tables import DECIMALS, NAMES
from unmask.report.forms import Axis, Grid, Kinds, response
from unmask.report.panels import columns_of

MOST = 7
"""Curves of a panel; where there would be more, every family of models has a panel."""


def steps(found: Found) -> alt.FacetChart | None:
    """Bias by steps of fine-tuning, a panel a task: a line a model with its interval. None where no run was
    looked at between its first and its last step."""
    rows = found.collected.rows
    rows = rows[rows["seed"].isna() & rows["group"].isna()]
    curves = [curve for task in found.tasks if len(curve := _curves(found, rows, task))]
    if not curves:
        return None
    apart = max(curve["model"].nunique() for curve in curves) > MOST
    members = {member.name: member for member in found.members}
    rows = pd.concat(curves, ignore_index=True)
    panel = rows["task"] + ": " + rows["metric"].map(NAMES)
    kind = rows["model"]
    if apart:
        panel += ", " + rows["model"].map({name: member.family for name, member in members.items()})
        kind = rows["model"].map({name: member.role or "as it was" for name, member in members.items()})
    frame = columns_of(rows, "task", "model", "step", "low", "high", panel=panel, kind=kind, bias="value")
    form = f".{DECIMALS}f"
    tips = (
        ("panel", "what"),
        ("model", "model"),
        ("step", "step", "d"),
        ("bias", "bias in use", form),
        ("low", "interval from", form),
        ("high", "interval to", form),
    )
    return response(
        frame,
        Axis("steps of fine-tuning", own=True),
        Axis("bias in use", zero=True),
        tips,
        dose="step",
        value="bias",
        kinds=Kinds("kind", "debiased by" if apart else "model"),
        each="model",
        area=True,
        together="task",
        grid=Grid(between=": "),
    )


def _curves(found: Found, rows: pd.DataFrame, task: str) -> pd.DataFrame:
    """The main metric at every step of those models that were looked at more than once, by model and step."""
    own = rows[rows["task"] == task]
    if own.empty:
        return own
    own = own[own["metric"] == found.main_metric(task)]
    own = own[own.groupby("model")["step"].transform("nunique") > 1]
    order = own["model"].map({model: place for place, model in enumerate(found.models)})
    return own.assign(order=order).sort_values(["order", "step"], kind="stable").drop(columns="order")
