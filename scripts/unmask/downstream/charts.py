"""The charts of downstream tasks."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from unmask.downstream.curves import steps
from unmask.downstream.results import Found
from unmask.downstream.tables import DECIMALS, NAMES
from unmask.downstream.terms import LEAST_SEEN, fine_tuned
from unmask.measures.registry import title_of
from unmask.report.changes_chart import Change, Scale, changes_chart
from unmask.report.panels import (
    MARK,
    NO_BIAS,
    STEP,
    Row,
    kinds,
    line,
    names_down,
    of_row,
    panels,
    plain,
    room_for,
    row_height,
    told,
    with_shared_scales,
)
from unmask.report.sheets import rows_of
from unmask.statistics.changes import CENTRE
from unmask.terms import CORRECTED

_FORM = f".{DECIMALS}f"

AS_IT_WAS = "none"
"""How a model was debiased that was not."""

NOTHING: Mapping[str, str] = {
    "use_figure": "No model of this study was fine-tuned.",
    "scores_figure": "No model of this study that was fine-tuned has bias scores.",
    "changes_figure": "No model of this study was made from another one of it.",
    "against_figure": f"Fewer than {LEAST_SEEN} models of this study have both bias scores and bias in use.",
    "steps_figure": "No run of this study was looked at between its first and its last step.",
}
"""What is said where a study has nothing for a chart."""


def charts(found: Found, wanted: Iterable[str]) -> Iterator[tuple[str, alt.FacetChart | None]]:
    """The charts of these names, those of NOTHING; None where the study has nothing for one."""
    makers: Mapping[str, Callable[[Found], alt.FacetChart | None]] = {
        "use_figure": use,
        "scores_figure": scores,
        "changes_figure": changes,
        "against_figure": against,
        "steps_figure": steps,
    }
    for name in wanted:
        yield name, makers[name](found)


def use(found: Found) -> alt.FacetChart | None:
    """Bias in use with what chance gives: a panel a task, models down the rows."""
    rows = _in_use(found)
    if not rows:
        return None
    models = _names(found, rows)
    y = names_down("model", models)

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", title="bias in use", axis=alt.Axis(tickCount=5, labelFlush=False))

    base = alt.Chart()
    layers = [
        base.mark_bar(style="chance", height=STEP - 4).encode(
            x=x("chance_low_at"),
            x2="chance_high_at:Q",
            y=y,
            # not seen where chance is not known; without the row a panel would have no scale
            opacity=alt.condition("isValid(datum.chance_low)", alt.value(1), alt.value(0)),
        ),
        line(x=0),
        base.mark_rule(style="reported").encode(x=x("low_at"), x2="high_at:Q", y=y),
        base.mark_point(style="reported", filled=True, opacity=1, size=MARK).encode(
            x=x("use"),
            y=y,
            tooltip=told(
                panel="what",
                model="model",
                use=("bias in use", _FORM),
                low=("interval from", _FORM),
                high=("interval to", _FORM),
                chance_low=("by chance from", _FORM),
                chance_high=("by chance to", _FORM),
                truth=("truth", _FORM),
            ),
        ),
    ]
    if any(row["truth"] is not None for row in rows):
        # where there is none it lies on the line at 0
        layers.insert(2, base.mark_rule(style="truth").encode(x=x("mean(truth_at)")))
    ends = {"low": "use", "high": "use"} | dict.fromkeys(("chance_low", "chance_high", "truth"), NO_BIAS)
    height, room = row_height(1), room_for(models)
    return panels(layers, rows, 3, margin=room, height=height, own=("x",), ends=ends, between=": ")


def scores(found: Found) -> alt.FacetChart | None:
    """Bias scores of the models before fine-tuning, and after it: a panel a benchmark, models down the
    rows, measures by colour and shape."""
    rows = _scores(found, found.models)
    if not rows:
        return None
    models, measures = _names(found, rows), list(dict.fromkeys(row["measure"] for row in rows))
    y = names_down("model", models)
    looks = kinds("measure", "bias score", measures)
    apart = {"yOffset": alt.YOffset("measure:N", sort=measures)} if len(measures) > 1 else {}

    def x(field: str) -> alt.X:
        axis = alt.Axis(tickCount=5, labelFlush=False)
        title = "stereotype preferred, of 100 pairs"
        return alt.X(f"{field}:Q", title=title, scale=alt.Scale(zero=False, padding=8), axis=axis)

    base = alt.Chart()
    layers = [
        line(x=CENTRE),
        base.mark_rule(strokeWidth=1.2).encode(
            x=x("low_at"), x2="high_at:Q", y=y, color=looks["color"], **apart
        ),
        base.mark_point(filled=True, opacity=1, size=MARK - 10).encode(
            x=x("score"),
            y=y,
            tooltip=told(
                panel="what",
                model="model",
                measure="measure",
                score=("stereotype preferred, of 100", ".1f"),
                low=("interval from", ".1f"),
                high=("interval to", ".1f"),
                after=("after fine-tuning, mean over tasks", ".1f"),
            ),
            **looks,
            **apart,
        ),
    ]
    if any(row["after"] is not None for row in rows):
        after = base.mark_point(filled=False, opacity=1, size=MARK - 10)
        layers.insert(2, after.encode(x=x("after"), y=y, **looks, **apart))
    ends = {"low": "score", "high": "score"}
    height = row_height(len(measures))
    return panels(layers, rows, 3, margin=room_for(models), height=height, ends=ends)


def _names(found: Found, rows: Sequence[Row]) -> list[str]:
    """The models of rows, in the order of the study."""
    there = {row["model"] for row in rows}
    return [model for model in found.models if model in there]


def _scores(found: Found, models: Sequence[str]) -> list[Row]:
    """Bias scores of the models as they were, and after fine-tuning, by benchmark, measure and model."""
    before, after = (scores[scores["protocol"] == CORRECTED] for scores in (found.before, found.after))
    rows: list[Row] = []
    for benchmark, measure, model in itertools.product(found.benchmarks, found.measures, models):
        own = _of(before, benchmark=benchmark, measure=measure, model=model)
        if own.empty:
            continue
        later = _of(after, benchmark=benchmark, measure=measure)
        later = later[later["model"].isin([fine_tuned(model, task) for task in found.tasks])]
        low, high = found.intervals.get((model, benchmark, measure), (None, None))
        rows.append(
            {
                "panel": benchmark,
                "model": model,
                "measure": title_of(measure),
                "score": plain(own["score"].iloc[0]),
                "low": plain(low),
                "high": plain(high),
                "after": plain(later["score"].mean()),
            }
        )
    return rows


def _in_use(found: Found) -> list[Row]:
    return [
        {
            "panel": f"{task}: {NAMES[found.main_metric(task)]}",
            "model": row.model,
            **of_row(row, "low", "high", use="value", chance_low="null_low", chance_high="null_high"),
            "truth": found.truth(task).get(found.main_metric(task)),
        }
        for task in found.tasks
        for row in rows_of(found.main[found.main["task"] == task])
    ]


def changes(found: Found) -> alt.FacetChart | None:
    """What debiasing changes of the bias in every task; origins down, methods by colour and shape."""
    of = {member.name: member for member in found.members}
    biases = {(row.task, row.model): row for row in rows_of(found.main)}
    changed = []
    for row in rows_of(found.changes_in_use):
        member, origin = of[row.model], of[row.model].origin
        if origin is None:
            continue
        changed.append(
            Change(
                f"{row.task}: {NAMES[found.main_metric(row.task)]}",
                origin,
                member.role or member.name,
                member.name,
                biases[row.task, origin].value,
                biases[row.task, member.name].value,
                row.low,
                row.high,
                row.p_holm,
            )
        )
    return changes_chart(changed, Scale("bias in use", no_bias=0, decimals=DECIMALS, own=True))


def against(found: Found) -> alt.FacetChart | None:
    """Bias in use against the bias score before it, a point a model, a panel a task and score."""
    of = {member.name: member for member in found.members}
    known = {(row["panel"], row["measure"], row["model"]): row for row in _scores(found, found.models)}
    rows: list[Row] = []
    for task, benchmark, measure in itertools.product(found.tasks, found.benchmarks, found.measures):
        own = []
        for row in rows_of(found.main[found.main["task"] == task]):
            score = known.get((benchmark, title_of(measure), row.model))
            if score is not None:
                own.append(
                    {
                        "panel": f"{task}: {title_of(measure)} on {benchmark}",
                        "task": task,
                        "model": row.model,
                        "debiased": of[row.model].role or AS_IT_WAS,
                        **{key: score[key] for key in ("score", "low", "high")},
                        **of_row(row, use="value", use_low="low", use_high="high"),
                    }
                )
        if len(own) >= LEAST_SEEN:
            rows += own
    if not rows:
        return None
    ways = list(dict.fromkeys(row["debiased"] for row in rows))
    looks = kinds("debiased", "debiased by", ways) if ways != [AS_IT_WAS] else {}
    x = alt.X("score:Q", title="stereotype preferred, of 100 pairs", scale=alt.Scale(zero=False))
    y = alt.Y("use:Q", title="bias in use", axis=alt.Axis(tickCount=5))
    base = alt.Chart()
    thin: dict[str, Any] = {"strokeWidth": 1, "opacity": 0.45}
    colour = {key: looks[key] for key in ("color",) if key in looks}
    layers = [
        line(x=CENTRE),
        base.mark_rule(**thin).encode(x=x, y=alt.Y("use_low_at:Q"), y2="use_high_at:Q", **colour),
        base.mark_rule(**thin).encode(x=alt.X("low_at:Q"), x2="high_at:Q", y=y, **colour),
        base.mark_point(filled=True, opacity=1, size=MARK).encode(
            x=x,
            y=y,
            tooltip=told(
                panel="what",
                model="model",
                debiased="debiased by",
                score=("stereotype preferred, of 100", _FORM),
                low=("interval from", _FORM),
                high=("interval to", _FORM),
                use=("bias in use", _FORM),
                use_low=("interval of bias in use from", _FORM),
                use_high=("interval of bias in use to", _FORM),
            ),
            **looks,
        ),
    ]
    ends = {"low": "score", "high": "score", "use_low": "use", "use_high": "use"}
    reach = ["max(use_high_at)"]
    return with_shared_scales(layers, rows, 3, by="task", reach=reach, ends=ends, between=": ")


def _of(frame: pd.DataFrame, **values: Any) -> pd.DataFrame:
    """The rows that have these values."""
    chosen = pd.Series(True, index=frame.index)
    for column, value in values.items():
        chosen &= frame[column] == value
    return frame[chosen]
