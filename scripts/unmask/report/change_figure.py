"""A figure of changes: how far numbers of models are from those of the models that they were made from."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from unmask.report.figures import PALETTE, RC, note

ACROSS = 3
"""Panels in a row."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")


@dataclass(frozen=True)
class Change:
    """row: the model that was changed. kind: how, which has a colour. low, high: nan without an interval."""

    row: str
    kind: str
    value: float
    low: float = float("nan")
    high: float = float("nan")


@dataclass(frozen=True)
class Panel:
    """label: what is shown, on the axis."""

    title: str
    label: str
    changes: tuple[Change, ...]


def draw_changes(panels: Sequence[Panel], nothing: str) -> Figure:
    """A panel for each number; down the rows, in each a mark with its interval for each kind; the line is no
    change, and panels of one label have one scale. nothing: what is said where there is nothing to draw."""
    drawn = [panel for panel in panels if panel.changes]
    if not drawn:
        return note(nothing)
    rows = list(dict.fromkeys(change.row for panel in drawn for change in panel.changes))
    kinds = list(dict.fromkeys(change.kind for panel in drawn for change in panel.changes))
    colours = dict(zip(kinds, itertools.cycle(colour for colour, _ in PALETTE), strict=False))
    markers = dict(zip(kinds, itertools.cycle(MARKERS), strict=False))
    across = min(ACROSS, len(drawn))
    down = -(-len(drawn) // across)
    step = 0.8 / len(kinds)
    with mpl.rc_context(RC | {"font.size": 9}):
        high = 0.75 + len(rows) * (0.14 + 0.15 * len(kinds))
        figure = Figure(figsize=(1.4 + 2.7 * across, 0.5 + high * down))
        grid = figure.subplots(down, across, squeeze=False, sharey=True)
        for axes in list(grid.flat)[len(drawn) :]:
            axes.set_axis_off()
        spans = _spans(drawn)
        for axes, panel in zip(grid.flat, drawn, strict=False):
            axes.set_xlim(spans[panel.label])
            axes.axvline(0, color="#888888", linewidth=0.8, zorder=0)
            for change in panel.changes:
                place = rows.index(change.row) + (kinds.index(change.kind) + 0.5) * step - 0.4
                _draw_change(axes, change, place, colours[change.kind], markers[change.kind])
            axes.set_title(panel.title, fontsize=9)
            axes.set_xlabel(panel.label)
            axes.xaxis.set_major_locator(MaxNLocator(4))
            axes.tick_params(axis="y", length=0)
        for of_row in grid:
            of_row[0].set_yticks(range(len(rows)), rows)
            of_row[0].set_ylim(len(rows) - 0.45, -0.55)
        handles = [
            Line2D([], [], color=colours[kind], marker=markers[kind], markersize=4, linewidth=1.1, label=kind)
            for kind in kinds
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=5)
    return figure


def _spans(panels: Sequence[Panel]) -> dict[str, tuple[float, float]]:
    """What the axis covers, of each label: one scale for all panels of one number, and always no change."""
    ends: dict[str, list[float]] = {}
    for panel in panels:
        for change in panel.changes:
            reached = (change.value, change.low, change.high)
            ends.setdefault(panel.label, [0.0]).extend(end for end in reached if pd.notna(end))
    margin = {label: 0.06 * (max(reached) - min(reached)) or 1.0 for label, reached in ends.items()}
    return {label: (min(own) - margin[label], max(own) + margin[label]) for label, own in ends.items()}


def _draw_change(axes: Axes, change: Change, place: float, colour: str, marker: str) -> None:
    if pd.notna(change.low) and pd.notna(change.high):
        axes.plot([change.low, change.high], [place, place], color=colour, linewidth=1.2)
    axes.plot([change.value], [place], color=colour, marker=marker, markersize=4.5, linestyle="")
