"""The figures of downstream tasks."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from unmask.downstream.intrinsic import CENTRE
from unmask.downstream.results import Found
from unmask.downstream.tables import NAMES
from unmask.downstream.terms import fine_tuned
from unmask.report.change_figure import MARKERS, Change, Panel, draw_changes
from unmask.report.figures import PALETTE, RC, note
from unmask.report.sheets import rows_of
from unmask.terms import CORRECTED

CHANCE = "#d9d9d9"


def drawn_figures(
    files: Mapping[str, Any], settings: Mapping[str, Any], wanted: Iterable[str]
) -> Iterator[tuple[str, Figure]]:
    """The figures of these names: changes_figure, use_figure and steps_figure.

    files, settings: those of Found. Raises KeyError for an unknown name (a defect of the caller).
    """
    found = Found(files, settings)
    makers: Mapping[str, Callable[[Found], Figure]] = {
        "changes_figure": draw_all_changes,
        "use_figure": draw_use,
        "steps_figure": draw_steps,
    }
    for name in wanted:
        yield name, makers[name](found)


def draw_all_changes(found: Found) -> Figure:
    """Figure 1: what debiasing changes, of every bias score and of the bias in every task."""
    of = {member.name: member for member in found.members}

    def change(row: Any, value: float) -> Change:
        member = of[row.model]
        # methods have a colour, the models that they are used on a row; without a method a model has its own
        return Change(str(member.origin), member.role or member.name, value, row.low, row.high)

    scores, panels = found.changes_of_scores, []
    for benchmark, measure in itertools.product(found.benchmarks, found.measures):
        own = scores[(scores["benchmark"] == benchmark) & (scores["measure"] == measure)]
        changes = tuple(change(row, row.change) for row in rows_of(own) if row.model in of)
        panels.append(Panel(f"{measure} on {benchmark}", "percentage points", changes))
    in_use = found.changes_in_use
    for task in found.tasks:
        rows = [row for row in rows_of(in_use[in_use["task"] == task]) if of[row.model].origin is not None]
        if rows:
            changes = tuple(change(row, row.value) for row in rows)
            panels.append(Panel(task, NAMES[found.main_metric(task)], changes))
    return draw_changes(panels, "No model of this study was made from another one of it.")


def draw_use(found: Found) -> Figure:
    """Intrinsic bias beside bias in use: a panel a benchmark, then a panel a task; models down the rows."""
    main = found.main
    models = [model for model in found.models if (main["model"] == model).any()]
    if not models:
        return note("No model of this study was fine-tuned.")
    benchmarks = [b for b in found.benchmarks if (found.before["benchmark"] == b).any()]
    tasks = [task for task in found.tasks if (main["task"] == task).any()]
    across = len(benchmarks) + len(tasks)
    measures = [m for m in found.measures if (found.before["measure"] == m).any()]
    looks = {
        measure: (colour, marker)
        for measure, (colour, _), marker in zip(
            measures, itertools.cycle(PALETTE), itertools.cycle(MARKERS), strict=False
        )
    }
    has_after, has_truth = False, False
    with mpl.rc_context(RC | {"font.size": 9}):
        high = 1.4 + len(models) * (0.16 + 0.11 * max(1, len(measures)))
        figure = Figure(figsize=(1.8 + 2.4 * across, high))
        grid = list(figure.subplots(1, across, squeeze=False, sharey=True).flat)
        for axes, benchmark in zip(grid, benchmarks, strict=False):
            has_after |= _draw_scores(axes, found, benchmark, models, looks)
            axes.set(title=benchmark, xlabel="|bias score - 50|")
        for axes, task in zip(grid[len(benchmarks) :], tasks, strict=True):
            for row in rows_of(main[main["task"] == task]):
                _draw_bias(axes, row, models.index(row.model))
            truth = found.truth(task).get(found.main_metric(task))
            if truth is not None:
                has_truth = True
                axes.axvline(truth, color="#D55E00", linewidth=1.2, linestyle="--", zorder=1)
            axes.set(title=task, xlabel=NAMES[found.main_metric(task)])
        for axes in grid:
            axes.set_xlim(left=0)
            axes.xaxis.set_major_locator(MaxNLocator(4))
            axes.tick_params(axis="y", length=0)
            axes.title.set_fontsize(9)
        grid[0].set_yticks(range(len(models)), models)
        grid[0].set_ylim(len(models) - 0.45, -0.55)
        handles: list[Artist] = [
            Line2D([], [], color=colour, marker=marker, linestyle="", markersize=4.5, label=measure)
            for measure, (colour, marker) in looks.items()
        ]
        if has_after:
            handles.append(
                Line2D(
                    [], [], color="#444444", marker="o", markerfacecolor="none", linestyle="", label="after"
                )
            )
        handles.append(Line2D([], [], color="black", marker="o", markersize=4.5, label="bias in use"))
        if main["null_low"].notna().any():
            handles.append(Patch(color=CHANCE, label="by chance"))
        if has_truth:
            handles.append(Line2D([], [], color="#D55E00", linestyle="--", label="truth"))
        figure.legend(handles=handles, loc="outside upper center", ncols=5)
    return figure


def _draw_scores(
    axes: Axes, found: Found, benchmark: str, models: list[str], looks: Mapping[str, tuple[str, str]]
) -> bool:
    """Bias scores before (filled) and after (hollow, mean over tasks); whether there are any after."""
    step, has_after = 0.7 / max(1, len(looks)), False

    def distances(scores: pd.DataFrame, names: list[str], measure: str) -> "pd.Series[float]":
        own = scores[
            (scores["benchmark"] == benchmark)
            & (scores["measure"] == measure)
            & (scores["protocol"] == CORRECTED)
            & scores["model"].isin(names)
        ]
        return (own["score"] - CENTRE).abs()

    for place, model in enumerate(models):
        for order, (measure, (colour, marker)) in enumerate(looks.items()):
            y = place + (order + 0.5) * step - 0.35
            before = distances(found.before, [model], measure)
            after = distances(found.after, [fine_tuned(model, task) for task in found.tasks], measure)
            style: dict[str, Any] = {"color": colour, "marker": marker, "markersize": 4.5, "linestyle": ""}
            if len(before) and len(after):
                axes.plot([before.iloc[0], after.mean()], [y, y], color=colour, linewidth=0.6, alpha=0.6)
            if len(before):
                axes.plot(before, [y], **style)
            if len(after):
                has_after = True
                axes.plot([after.mean()], [y], markerfacecolor="none", **style)
    return has_after


def _draw_bias(axes: Axes, row: Any, place: int) -> None:
    if pd.notna(row.null_low):
        wide = row.null_high - row.null_low
        axes.barh(place, wide, left=row.null_low, height=0.6, color=CHANCE, linewidth=0, zorder=0)
    if pd.notna(row.low):
        axes.plot([row.low, row.high], [place, place], color="black", linewidth=1.2, zorder=2)
    axes.plot([row.value], [place], color="black", marker="o", markersize=4.5, linestyle="", zorder=3)


def draw_steps(found: Found) -> Figure:
    """Figure 2: bias by steps of fine-tuning, a panel a task."""
    rows = found.collected.rows
    rows = rows[rows["seed"].isna() & rows["group"].isna()]
    panels: list[tuple[str, pd.DataFrame]] = []
    for task in found.tasks:
        own = rows[rows["task"] == task]
        own = own[own["metric"] == found.main_metric(task)] if len(own) else own
        several = own.groupby("model")["step"].transform("nunique") > 1
        if several.any():
            panels.append((task, own[several]))
    if not panels:
        return note("No run of this study was looked at between its first and its last step.")
    models = [model for model in found.models if any((own["model"] == model).any() for _, own in panels)]
    lines: dict[str, tuple[str, Any]] = {
        model: look for model, look in zip(models, itertools.cycle(PALETTE), strict=False)
    }
    with mpl.rc_context(RC | {"font.size": 9}):
        figure = Figure(figsize=(1.0 + 3.2 * len(panels), 3.6))
        for axes, (task, own) in zip(
            figure.subplots(1, len(panels), squeeze=False).flat, panels, strict=True
        ):
            for model, points in own.groupby("model", sort=False):
                points = points.sort_values("step", kind="stable")
                colour, line = lines[str(model)]
                axes.plot(
                    points["step"],
                    points["value"],
                    color=colour,
                    linestyle=line,
                    marker="o",
                    markersize=3,
                    linewidth=1.3,
                )
                low, high = (points[end].to_numpy(float) for end in ("low", "high"))
                known = np.isfinite(low) & np.isfinite(high)
                axes.fill_between(
                    points["step"].to_numpy()[known],
                    low[known],
                    high[known],
                    color=colour,
                    alpha=0.08,
                    linewidth=0,
                )
            axes.set(title=task, xlabel="steps", ylabel=NAMES[found.main_metric(task)])
            axes.title.set_fontsize(9)
            axes.set_ylim(bottom=0)
            axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        handles = [
            Line2D([], [], color=colour, linestyle=line, linewidth=1.3, label=model)
            for model, (colour, line) in lines.items()
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=4)
    return figure
