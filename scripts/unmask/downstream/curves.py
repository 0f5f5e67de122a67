"""The chart of bias in use over fine-tuning."""

import altair as alt
import pandas as pd

from unmask.downstream.results import Found
from unmask.downstream.tables import DECIMALS, NAMES
from unmask.report.panels import Row, kinds, of_row, told, with_shared_scales
from unmask.report.sheets import rows_of

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
    of = {member.name: member for member in found.members}
    drawn: list[Row] = []
    for row in rows_of(pd.concat(curves, ignore_index=True)):
        member = of[row.model]
        name = f"{row.task}: {NAMES[row.metric]}"
        drawn.append(
            {
                "panel": f"{name}, {member.family}" if apart else name,
                "task": row.task,
                "model": member.name,
                "kind": (member.role or "as it was") if apart else member.name,
                **of_row(row, "step", "low", "high", bias="value"),
            }
        )
    names = list(dict.fromkeys(row["kind"] for row in drawn))
    looks = kinds("kind", "debiased by" if apart else "model", names)
    form = f".{DECIMALS}f"
    x = alt.X("step:Q", title="steps of fine-tuning", axis=alt.Axis(tickCount=5))
    y = alt.Y("bias:Q", title="bias in use", axis=alt.Axis(tickCount=5))
    base = alt.Chart()
    one = {"color": looks["color"], "detail": alt.Detail("model:N")}
    layers = [
        base.mark_area(opacity=0.15).encode(x=x, y=alt.Y("low_at:Q"), y2="high_at:Q", **one),
        base.mark_line(strokeWidth=1.5).encode(x=x, y=y, **one),
        base.mark_point(filled=True, opacity=1, size=30).encode(
            x=x,
            y=y,
            tooltip=told(
                panel="what",
                model="model",
                step=("step", "d"),
                bias=("bias in use", form),
                low=("interval from", form),
                high=("interval to", form),
            ),
            **looks,
        ),
    ]
    ends, reach = {"low": "bias", "high": "bias"}, ["max(high_at)"]
    return with_shared_scales(
        layers, drawn, 3, by="task", reach=reach, own=("x", "y"), ends=ends, between=": "
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
