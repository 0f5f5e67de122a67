"""The charts of downstream tasks."""

import math
from collections.abc import Callable, Mapping

import altair as alt
import pandas as pd

from unmask.downstream.curves import steps
from unmask.downstream.results import Found
from unmask.downstream.tables import DECIMALS, NAMES
from unmask.downstream.terms import LEAST_SEEN, fine_tuned
from unmask.measures.registry import title_of
from unmask.report.changes_chart import changes_chart
from unmask.report.forms import Axis, Beside, Grid, Kinds, forest, scatter
from unmask.report.panels import by_value, columns_of, ends_of
from unmask.statistics.changes import CENTRE
from unmask.terms import CORRECTED

_FORM = f".{DECIMALS}f"

AS_IT_WAS = "none"
"""How a model was debiased that was not."""


def use(found: Found) -> alt.FacetChart | None:
    """Bias in use with what chance gives: a panel a task, models down the rows."""
    rows = by_value(found.main, "task", found.tasks)
    truths = {task: found.truth(task).get(found.main_metric(task)) for task in found.tasks}
    frame = columns_of(
        rows,
        *("model", "low", "high"),
        panel=rows["task"].map(_titles(found)),
        use="value",
        chance_low="null_low",
        chance_high="null_high",
        truth=rows["task"].map(truths),
    )
    tips = (
        ("panel", "what"),
        ("model", "model"),
        ("use", "bias in use", _FORM),
        ("low", "interval from", _FORM),
        ("high", "interval to", _FORM),
        ("chance_low", "by chance from", _FORM),
        ("chance_high", "by chance to", _FORM),
        ("truth", "truth", _FORM),
    )
    return forest(
        frame,
        Axis("bias in use", line=0, own=True),
        tips,
        name="model",
        value="use",
        broad=("chance_low", "chance_high"),
        beside=[Beside("truth", "line", "truth")],
        names=found.models,
        grid=Grid(between=": "),
    )


def _titles(found: Found) -> dict[str, str]:
    """The name of the panel of each task."""
    return {task: f"{task}: {NAMES[found.main_metric(task)]}" for task in found.tasks}


def scores(found: Found) -> alt.FacetChart | None:
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
        _scores(found),
        Axis("stereotype preferred, of 100 pairs", line=CENTRE),
        tips,
        name="model",
        value="score",
        kinds=Kinds("measure", "bias score"),
        apart="measure",
        beside=[Beside("after", "ring")],
        names=found.models,
    )


def _scores(found: Found) -> pd.DataFrame:
    """Bias scores of the models as they were, and after fine-tuning, by benchmark, measure and model."""
    before, after = (scores[scores["protocol"] == CORRECTED] for scores in (found.before, found.after))
    keys = ["model", "benchmark", "measure"]
    tuned = {fine_tuned(model, task): model for model in found.models for task in found.tasks}
    later = after.assign(model=after["model"].map(tuned)).groupby(keys)["score"].mean().to_dict()
    rows = before
    for column, order in (
        ("model", found.models),
        ("measure", found.measures),
        ("benchmark", found.benchmarks),
    ):
        rows = by_value(rows, column, order)
    of_rows = list(rows[keys].itertuples(index=False, name=None))
    ends = [found.intervals.get(key, (math.nan, math.nan)) for key in of_rows]
    return columns_of(
        rows,
        *("model", "score"),
        panel="benchmark",
        measure=rows["measure"].map(title_of),
        low=[low for low, _ in ends],
        high=[high for _, high in ends],
        after=[later.get(key, math.nan) for key in of_rows],
    )


def changes(found: Found) -> alt.FacetChart | None:
    """What debiasing changes of the bias in every task; origins down, methods by colour and shape."""
    members = {member.name: member for member in found.members if member.origin is not None}
    rows = found.changes_in_use
    rows = rows[rows["model"].isin(members)]
    biases = found.main.set_index(["task", "model"])["value"].to_dict()
    origins = rows["model"].map({name: member.origin for name, member in members.items()})
    frame = columns_of(
        rows,
        *("model", "low", "high", "p_holm"),
        panel=rows["task"].map(_titles(found)),
        row=origins,
        kind=rows["model"].map({name: member.role or name for name, member in members.items()}),
        before=[biases[key] for key in zip(rows["task"], origins, strict=True)],
        after=[biases[key] for key in zip(rows["task"], rows["model"], strict=True)],
    )
    return changes_chart(frame, Axis("bias in use", line=0, own=True), DECIMALS)


def against(found: Found) -> alt.FacetChart | None:
    """Bias in use against the bias score before it, a point a model, a panel a task and score."""
    ways = {member.name: member.role or AS_IT_WAS for member in found.members}
    main = by_value(found.main, "task", found.tasks)
    uses = columns_of(main, "task", "model", use="value", use_low="low", use_high="high")
    scores = _scores(found).rename(columns={"panel": "benchmark"})
    rows = uses.merge(scores, on="model")
    name = rows["task"] + ": " + rows["measure"] + " on " + rows["benchmark"]
    seen = name.groupby(name).transform("size") >= LEAST_SEEN
    frame = columns_of(
        rows,
        *("task", "model", "score", "low", "high", "use", "use_low", "use_high"),
        panel=name,
        debiased=rows["model"].map(ways),
    )[seen]
    # within a task by benchmark and measure
    order = (scores["measure"] + " on " + scores["benchmark"]).drop_duplicates()
    frame = by_value(frame, "panel", [f"{task}: {score}" for task in found.tasks for score in order])
    tips = (
        ("panel", "what"),
        ("model", "model"),
        ("debiased", "debiased by"),
        ("score", "stereotype preferred, of 100", _FORM),
        ("low", "interval from", _FORM),
        ("high", "interval to", _FORM),
        ("use", "bias in use", _FORM),
        ("use_low", "interval of bias in use from", _FORM),
        ("use_high", "interval of bias in use to", _FORM),
    )
    return scatter(
        frame,
        Axis("stereotype preferred, of 100 pairs", line=CENTRE),
        Axis("bias in use", zero=True),
        tips,
        across="score",
        up="use",
        across_interval=("low", "high"),
        up_interval=("use_low", "use_high"),
        kinds=Kinds("debiased", "debiased by") if frame["debiased"].ne(AS_IT_WAS).any() else None,
        together="task",
        grid=Grid(between=": "),
    )


MAKERS: Mapping[str, tuple[Callable[[Found], alt.FacetChart | None], str]] = {
    "use_figure": (use, "No model of this study was fine-tuned."),
    "scores_figure": (scores, "No model of this study that was fine-tuned has bias scores."),
    "changes_figure": (changes, "No model of this study was made from another one of it."),
    "against_figure": (
        against,
        f"Fewer than {LEAST_SEEN} models of this study have both bias scores and bias in use.",
    ),
    "steps_figure": (steps, "No run of this study was looked at between its first and its last step."),
}
"""By name: what makes a chart, and why there may be none."""
