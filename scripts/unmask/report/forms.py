"""The forms of charts: estimates down rows, and one number against another.

A chart is one of these over a frame: a row an estimate, with a column `panel`, in the order in which panels,
names and kinds are drawn. All columns of the frame are the chart's data. A row without its number is left
out; what else is null is not drawn. Each form is None where there is nothing to draw.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt
import pandas as pd

from unmask.report.panels import (
    AXES,
    GAP,
    HEIGHT,
    MARK,
    OF_CLAIMS,
    STEP,
    WIDTH,
    Looks,
    domain,
    having,
    kinds,
    line,
    names_down,
    only,
    panels,
    records,
    room_for,
    row_height,
    tooltips,
)

Interval = tuple[str, str]
"""Columns of the ends of an interval."""

_NUMBERS = 40
"""Pixels for the numbers beside a panel."""


@dataclass(frozen=True)
class Axis:
    """Numbers along a side of each panel.

    title: with the unit. line: where a line is. span: what the scale covers at least, beside all that is
    drawn; by default what is drawn alone. step: the scale ends at multiples of it.
    zero: whether it covers 0. independent: whether every panel has a scale by itself. ticks: where numbers
    are, or about how many. format: how these are written, as d3 has it.
    """

    title: str | None
    line: float | None = None
    span: tuple[float, float] | None = None
    step: float | None = None
    zero: bool = False
    independent: bool = False
    ticks: int | Sequence[float] = 5
    format: str | None = None


@dataclass(frozen=True)
class Kinds:
    """What colour and shape tell apart.

    column: of the names of kinds. title: of the legend. names: in their order, those that no row has too; by
    default those of the data. claimed: whether they are what may be claimed, from nothing to the most.
    listed: those of the legend, by default all.
    """

    column: str
    title: str | None
    names: Sequence[str] | None = None
    claimed: bool = False
    listed: Sequence[str] | None = None

    def of(self, frame: pd.DataFrame) -> list[str]:
        """The names, in their order."""
        return list(frame[self.column].dropna().unique()) if self.names is None else list(self.names)

    def looks(self, frame: pd.DataFrame) -> Looks:
        """A colour and a shape for each."""
        look: dict[str, Any] = {"colours": "ordinal", "shapes": OF_CLAIMS} if self.claimed else {}
        return kinds(self.column, self.title, self.of(frame), listed=self.listed, **look)


@dataclass(frozen=True)
class Beside:
    """Another number of each row, as a triangle or a tick in a style of the theme."""

    column: str
    mark: Literal["triangle", "tick"]
    style: str = "neutral"

    def drawn(self) -> alt.Chart:
        """The mark, without its place."""
        rows = having(self.column)
        tick = rows.mark_tick(style=self.style, thickness=2, height=STEP - 5, orient="vertical")
        point = rows.mark_point(style=self.style, shape="triangle-up", size=70, opacity=1)
        drawn: alt.Chart = tick if self.mark == "tick" else point
        return drawn


@dataclass(frozen=True)
class Grid:
    """How panels are arranged. columns: at most so many beside each other. width, height: of each, in pixels.
    between: what stands in a panel's name between two lines. title, subtitle: lines above all."""

    columns: int = 3
    width: int = WIDTH
    height: int = HEIGHT
    between: str = "\n"
    title: str | None = None
    subtitle: Sequence[str] = ()

    def titled(self, drawn: alt.FacetChart) -> alt.FacetChart:
        """A chart below its title, if there is one."""
        if self.title is None:
            return drawn
        # its methods would copy all its layers
        titled: alt.FacetChart = drawn.copy(deep=False)
        titled.title = alt.Title(self.title, subtitle=list(self.subtitle))
        return titled


@dataclass(frozen=True)
class _Side:
    """A side of panels with its scale: places of columns on it as channels."""

    name: Literal["x", "y"]
    axis: Axis
    scale: alt.Scale

    @classmethod
    def of(cls, name: Literal["x", "y"], axis: Axis, frame: pd.DataFrame, columns: Iterable[str]) -> "_Side":
        """columns: those that the scale covers, where it has a span."""
        if axis.span is None:
            # numbers at the top of a panel would be beside its name
            round_ends = name == "x" and isinstance(axis.ticks, int)
            return cls(name, axis, alt.Scale(zero=axis.zero, nice=round_ends, padding=8))
        ends = domain(frame, columns, axis.span, axis.step)
        padding = 0 if axis.step else 8
        return cls(name, axis, alt.Scale(domain=ends, zero=False, nice=False, padding=padding))

    def at(self, column: str) -> dict[str, Any]:
        """Where a column is."""
        axis = self.axis
        named: dict[str, Any] = {"minExtent": _NUMBERS, "maxExtent": _NUMBERS} if self.name == "y" else {}
        if isinstance(axis.ticks, int):
            named["tickCount"] = axis.ticks
        else:
            named |= {"values": list(axis.ticks), "labelOverlap": True}
        if axis.format:
            named["format"] = axis.format
        # numbers at the ends of a scale stay within their panel
        if axis.step:
            named["labelFlush"] = True
        numbers = alt.Axis(grid=True, **named)
        channel = alt.X if self.name == "x" else alt.Y
        return {self.name: channel(f"{column}:Q", title=axis.title, scale=self.scale, axis=numbers)}

    def between(self, ends: Interval) -> dict[str, Any]:
        """From one column to another."""
        low, high = ends
        return self.at(low) | {f"{self.name}2": f"{high}:Q"}

    def line(self) -> list[alt.Chart]:
        """The line of the axis, if it has one."""
        return [] if self.axis.line is None else [line(**{self.name: self.axis.line})]


def forest(
    frame: pd.DataFrame,
    axis: Axis,
    *,
    name: str = "name",
    value: str = "value",
    interval: Interval = ("low", "high"),
    kinds: Kinds | None = None,
    broad: Interval | None = None,
    narrow: Interval | None = None,
    beside: Sequence[Beside] = (),
    names: Iterable[str] | None = None,
    apart: str | None = None,
    grid: Grid = Grid(),
) -> alt.FacetChart | None:
    """Estimates with their intervals, names down the rows, before what chance gives.

    broad, narrow: bands. names: in their order, by default that of the data. apart: rows of one name are
    below each other by this column.
    """
    frame = frame[frame[value].notna()]
    if frame.empty:
        return None
    beside = [each for each in beside if _known(frame, each.column)]
    ends = [end for pair in (interval, broad, narrow) if pair for end in pair if end in frame]
    x = _Side.of("x", axis, frame, (value, *ends, *(each.column for each in beside)))
    there = list(dict.fromkeys(frame[name]))
    order = there if names is None else [each for each in dict.fromkeys(names) if each in there]
    place: dict[str, Any] = {"y": names_down(name, order)}
    below = (kinds if kinds and kinds.column == apart else Kinds(apart, None)).of(frame) if apart else []
    if len(below) > 1:
        place["yOffset"] = alt.YOffset(f"{apart}:N", sort=below)
    looks, single = _looks(frame, kinds)
    said = tooltips(frame)
    # what is drawn later lies over it
    layers: list[alt.Chart] = []
    if broad and _known(frame, broad[0]):
        band = having(*broad).mark_bar(style="chance", height=STEP - 4)
        layers.append(band.encode(**x.between(broad), **place))
    if narrow and _known(frame, narrow[0]):
        # below the interval, which it would hide
        band = having(*narrow).mark_rule(style="untrained", yOffset=STEP / 2 - 3)
        layers.append(band.encode(**x.between(narrow), **place))
    layers += x.line()
    if _known(frame, interval[0]):
        rule = having(*interval).mark_rule(strokeWidth=1.5, **single)
        layers.append(rule.encode(**x.between(interval), **place, **_colour(looks)))
    for each in beside:
        layers.append(each.drawn().encode(**x.at(each.column), **place, tooltip=said))
    points = alt.Chart().mark_point(filled=True, opacity=1, size=MARK, **single)
    layers.append(points.encode(**x.at(value), **place, **looks, tooltip=said))
    drawn = panels(
        layers,
        records(frame),
        grid.columns,
        margin=room_for(order),
        width=grid.width,
        height=row_height(max(1, len(below))),
        independent=("x",) if axis.independent else (),
        axes=("x",),
        between=grid.between,
    )
    return grid.titled(drawn)


def scatter(
    frame: pd.DataFrame,
    x: Axis,
    y: Axis,
    *,
    across: str,
    up: str,
    across_interval: Interval | None = None,
    up_interval: Interval = ("low", "high"),
    kinds: Kinds | None = None,
    joined: bool = False,
    each: str | None = None,
    broad: Interval | None = None,
    reported: str | None = None,
    large: str | None = None,
    grid: Grid = Grid(),
) -> alt.FacetChart | None:
    """One number against another, each with its interval.

    across: a column of numbers, or of words, which have no scale. joined: whether a line joins those of one
    kind, and of one value of the column `each`. broad: a band behind all, which chance gives. reported: a
    column of the numbers up as others report them, on a thinner line with triangles. large: a column of true
    and false: those rows are large, others small.
    """
    frame = frame[frame[across].notna() & frame[up].notna()]
    if frame.empty:
        return None
    columns = (up, *up_interval, *(broad or ()), *([reported] if reported else []))
    side_up = _Side.of("y", y, frame, [column for column in columns if column in frame])
    side_across = _Side.of("x", x, frame, (across, *(across_interval or ())))
    numbers = pd.api.types.is_numeric_dtype(frame[across])
    place = side_across.at(across) if numbers else _words_across(x, frame[across], grid.width)
    place |= side_up.at(up)
    looks, single = _looks(frame, kinds)
    one: dict[str, Any] = {"detail": alt.Detail(f"{each}:N")} if each else {}
    said = tooltips(frame)
    layers: list[alt.Chart] = []
    if broad and _known(frame, broad[0]):
        band = having(*broad).mark_area(style="chance")
        layers.append(band.encode(x=place["x"], **side_up.between(broad), **one))
    layers += [*side_across.line(), *side_up.line()]
    if reported and _known(frame, reported):
        theirs, at = having(reported), {"x": place["x"], **side_up.at(reported)}
        layers.append(theirs.mark_line(style="reported", strokeWidth=0.8).encode(**at, **one))
        marks = theirs.mark_point(style="reported", shape="triangle-up", size=30, opacity=1)
        layers.append(marks.encode(**at, tooltip=said))
    if joined:
        lines = alt.Chart().mark_line(strokeWidth=1.4, **single)
        # where there are several at a place, through their mean
        layers.append(lines.encode(**(place | side_up.at(f"mean({up})")), **one, **_colour(looks)))
    # crosses are pale
    opacity = 0.45 if across_interval else 1
    for side, interval in ((side_across, across_interval), (side_up, up_interval)):
        if interval and _known(frame, interval[0]):
            rule = having(*interval).mark_rule(strokeWidth=1.2, opacity=opacity, **single)
            layers.append(rule.encode(**(place | side.between(interval)), **_colour(looks)))
    points = alt.Chart().mark_point(filled=True, opacity=1, size=MARK - 10, **single)
    if large:
        points = alt.Chart().mark_point(style="outlined", filled=True, opacity=1)
        looks["size"] = alt.condition(only(large, True), alt.value(130), alt.value(22))
        looks["strokeWidth"] = alt.condition(only(large, True), alt.value(1.2), alt.value(0))
    layers.append(points.encode(**place, **looks, tooltip=said))
    drawn = panels(
        layers,
        records(frame),
        grid.columns,
        margin=AXES,
        gap=GAP + AXES if y.independent else GAP,
        independent=tuple(name for name, axis in (("x", x), ("y", y)) if axis.independent),
        width=grid.width,
        height=grid.height,
        between=grid.between,
        axes=("x",),
    )
    return grid.titled(drawn)


def _known(frame: pd.DataFrame, column: str) -> bool:
    return column in frame and bool(frame[column].notna().any())


def _looks(frame: pd.DataFrame, kinds: Kinds | None) -> tuple[Looks, dict[str, Any]]:
    """Channels of kinds, and the look of marks that are of one."""
    return (kinds.looks(frame), {}) if kinds else ({}, {"style": "single"})


def _colour(looks: Looks) -> Looks:
    return {channel: each for channel, each in looks.items() if channel == "color"}


def _words_across(axis: Axis, words: "pd.Series[str]", width: int) -> dict[str, Any]:
    order = list(dict.fromkeys(words))
    # beside each other where there is room for the longest of all
    fits = room_for(order) * len(order) <= width
    names = alt.Axis(labelAngle=0) if fits else alt.Axis(labelAngle=-40, labelLimit=120)
    return {"x": alt.X(f"{words.name}:N", title=axis.title, sort=order, axis=names)}


CHART_COLUMNS = ("panel", "row", "kind", "model", "before", "after", "low", "high", "p_holm")
"""What a change has: where it is drawn; what it is a number of; how its model was changed, and which that is;
the number before and after, the ends of the interval of after less before, and p after correction."""


def changes_chart(changes: pd.DataFrame, axis: Axis) -> alt.FacetChart | None:
    """A tick for what was, and a mark for what is, with the interval of the change laid at the tick: it holds
    the tick where nothing may have changed. None where there is no change.

    changes: CHART_COLUMNS.
    """
    frame = changes.assign(
        change=changes["after"] - changes["before"],
        least=changes["before"] + changes["low"],
        most=changes["before"] + changes["high"],
    )
    return forest(
        frame,
        axis,
        name="row",
        value="after",
        interval=("least", "most"),
        kinds=Kinds("kind", "debiased by"),
        apart="kind",
        beside=[Beside("before", "tick")],
        grid=Grid(between=": "),
    )
