"""The forms of charts: estimates down rows, and one number against another; and the small panels that these,
and families' own charts, are made of, which the page can arrange for any width.

A form is drawn over a frame: a row an estimate, with a column `panel`, in the order in which panels, names
and kinds are drawn. All columns of the frame are the chart's data. A row without its number is left out; what
else is null is not drawn. Each form is None where there is nothing to draw.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import altair as alt
import numpy as np
import pandas as pd

from unmask.report.tables import records

STEP = 17
"""Pixels from one row of a panel to the next."""

MARK = 50
"""Square pixels of a mark."""

AXES = 50
"""Pixels for the numbers of an axis and its title, beside panels."""

GAP = 32
"""Pixels from one panel to the next, with what stands out of each; the page has the same."""

SHAPES = ("circle", "square", "diamond", "triangle-down", "cross", "triangle-right")
"""Of marks: what colours tell apart, shapes do too, and both together more than either."""

OF_CLAIMS = (*("circle", "diamond", "square", "cross", "triangle-right", "triangle-up", "triangle-left"),)
"""Shapes of verdicts and judgements, in the order of their colours (unmask.report.charts.RANGES)."""

_NUMBERS = 40
"""Pixels for the numbers beside a panel."""

Interval = tuple[str, str]
"""Columns of the ends of an interval."""


# what charts are made of


@dataclass(frozen=True)
class Grid:
    """How panels are arranged. columns: at most so many beside each other. width, height: of each, in pixels,
    which the page makes wider or narrower, and with `aspect` of a height that is so much of the width.
    between: what stands in a panel's name between two lines. title, subtitle: lines above all."""

    columns: int = 3
    width: int = 300
    height: int | alt.Step = 190
    between: str = "\n"
    title: str | None = None
    subtitle: Sequence[str] = ()
    aspect: float | None = None


class SharedData(alt.InlineData):
    """Data that the copies of a chart share: each method of a chart copies it, and would copy every row."""

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> "SharedData":
        return self


def panels(
    layers: Sequence[alt.Chart],
    rows: Sequence[Mapping[str, Any]],
    grid: Grid,
    *,
    margin: int,
    gap: int = GAP,
    independent: Sequence[str] = (),
    axes: Sequence[str] = (),
) -> alt.FacetChart:
    """A panel for each value of the field `panel`, in the order of the rows; later layers lie over earlier
    ones.

    The field `place` is these panels' own: which row each is. margin: pixels for what stands beside all of
    them, such as an axis's labels; gap: between two, with an axis that each has. independent: channels of
    which each panel has a scale and an axis of its own; axes: an axis alone.
    """
    each = (("scale", independent), ("axis", axes))
    apart: Any = {what: dict.fromkeys(channels, "independent") for what, channels in each if channels}
    title = alt.Undefined if grid.title is None else alt.Title(grid.title, subtitle=list(grid.subtitle))
    names = alt.Header(labelExpr=f"split(datum.label, {json.dumps(grid.between)})", labelLimit=grid.width)
    # in one go: each method of a chart copies it, with all its layers
    return alt.FacetChart(
        data=SharedData(values=[dict(row) for row in rows]),
        spec=alt.LayerChart(layer=layers, width=grid.width, height=grid.height),
        facet=alt.Facet("panel:N", title=None, sort=alt.EncodingSortField("place", op="min"), header=names),
        columns=min(grid.columns, len({row["panel"] for row in rows})),
        spacing={"row": 14, "column": 18},
        # in the order of the data
        transform=[{"window": [{"op": "row_number", "as": "place"}]}],
        usermeta={"margin": margin, "gap": gap, **({"aspect": grid.aspect} if grid.aspect else {})},
        resolve=alt.Resolve(**apart) if apart else alt.Undefined,
        title=title,
    )


def only(field: str, value: str | bool) -> alt.FieldEqualPredicate:
    """The rows that have a value in a field. Values are this project's own, never text from data."""
    return alt.FieldEqualPredicate(field=field, equal=value)


def having(*fields: str) -> alt.Chart:
    """For a layer of the rows that have a value in all fields: a bar without ends would lie at the edge."""
    drawn: alt.Chart = alt.Chart()
    for field in fields:
        drawn = drawn.transform_filter(alt.FieldValidPredicate(field=field, valid=True))
    return drawn


def names_down(field: str, names: Iterable[str]) -> alt.Y:
    """Names down the side of panels, in their order."""
    return alt.Y(f"{field}:N", sort=list(dict.fromkeys(names)), title=None)


def room_for(names: Iterable[str]) -> int:
    """Pixels for names beside panels, 6.4 for a letter; longer names are cut, in the theme too."""
    return min(200, round(6.4 * max(map(len, names), default=0)) + 16)


def tooltips(frame: pd.DataFrame) -> list[alt.Tooltip]:
    """What a mark says of itself: all that its row has, by the names of the columns of a chart's data."""
    said = []
    for name in map(str, frame):
        dtype, title = frame[name].infer_objects().dtype, name.replace("_", " ")
        if pd.api.types.is_bool_dtype(dtype) or not pd.api.types.is_numeric_dtype(dtype):
            said.append(alt.Tooltip(f"{name}:N", title=title))
        else:
            form = ",d" if pd.api.types.is_integer_dtype(dtype) else ".4~g"
            said.append(alt.Tooltip(f"{name}:Q", title=title, format=form))
    return said


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

    def looks(self, frame: pd.DataFrame) -> dict[str, Any]:
        """A colour and a shape for each, with one legend for both."""
        names, shapes = self.of(frame), OF_CLAIMS if self.claimed else SHAPES
        # lines may be pale, and their legend is that of the marks
        legend = alt.Legend(
            symbolOpacity=1, values=alt.Undefined if self.listed is None else list(self.listed)
        )
        look: dict[str, Any] = {"shorthand": f"{self.column}:N", "title": self.title, "legend": legend}
        colours = alt.Scale(domain=names, range="ordinal" if self.claimed else "category")
        of_names = [shapes[place % len(shapes)] for place in range(len(names))]
        return {
            "color": alt.Color(**look, scale=colours),
            "shape": alt.Shape(**look, scale=alt.Scale(domain=names, range=of_names)),
        }


# forms


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
class Beside:
    """Another number of each row, as a triangle or a tick in a style of the theme."""

    column: str
    mark: Literal["triangle", "tick"]
    style: str = "neutral"


class _Side:
    """A side of panels with its scale: places of columns on it as channels."""

    def __init__(
        self, name: Literal["x", "y"], axis: Axis, frame: pd.DataFrame, columns: Iterable[str]
    ) -> None:
        """columns: those that the scale covers, where it has a span."""
        self.name, self.axis = name, axis
        if axis.span is None:
            # numbers at the top of a panel would be beside its name
            round_ends = name == "x" and isinstance(axis.ticks, int)
            self.scale = alt.Scale(zero=axis.zero, nice=round_ends, padding=8)
            return
        known = frame[[*columns]].astype(float)
        low = float(np.fmin(axis.span[0], known.min().min()))
        high = float(np.fmax(axis.span[1], known.max().max()))
        if step := axis.step:
            # division may leave a whole number a hair below itself
            low, high = step * math.floor(low / step + 1e-9), step * math.ceil(high / step - 1e-9)
        self.scale = alt.Scale(domain=[low, high], zero=False, nice=False, padding=0 if step else 8)

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
        """The line of the axis, if it has one: drawn once in each panel and not for each row."""
        if self.axis.line is None:
            return []
        at = (alt.XDatum if self.name == "x" else alt.YDatum)(self.axis.line)
        once = alt.Chart().transform_aggregate(rows="count()").mark_rule(style="neutral")
        return [once.encode(**{self.name: at})]


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

    broad: the ends of a band, of what chance gives; narrow: of a bar below the interval. names: in their
    order, by default that of the data. apart: rows of one name are below each other by this column.
    """
    frame = frame[frame[value].notna()]
    if frame.empty:
        return None
    beside = [each for each in beside if _known(frame, each.column)]
    ends = [end for pair in (interval, broad, narrow) if pair for end in pair if end in frame]
    x = _Side("x", axis, frame, (value, *ends, *(each.column for each in beside)))
    there = list(dict.fromkeys(frame[name]))
    order = there if names is None else [each for each in dict.fromkeys(names) if each in there]
    place: dict[str, Any] = {"y": names_down(name, order)}
    below = (kinds if kinds and kinds.column == apart else Kinds(apart, None)).of(frame) if apart else []
    if len(below) > 1:
        place["yOffset"] = alt.YOffset(f"{apart}:N", sort=below)
    looks, colour, single = _looks(frame, kinds)
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
        layers.append(rule.encode(**x.between(interval), **place, **colour))
    for each in beside:
        mark = having(each.column)
        if each.mark == "tick":
            mark = mark.mark_tick(style=each.style, thickness=2, height=STEP - 5, orient="vertical")
        else:
            mark = mark.mark_point(style=each.style, shape="triangle-up", size=70, opacity=1)
        layers.append(mark.encode(**x.at(each.column), **place, tooltip=said))
    points = alt.Chart().mark_point(filled=True, opacity=1, size=MARK, **single)
    layers.append(points.encode(**x.at(value), **place, **looks, tooltip=said))
    height = STEP if len(below) < 2 else 5 + (STEP - 5) * len(below)
    return panels(
        layers,
        records(frame),
        replace(grid, height=alt.Step(height, **{"for": "position"})),
        margin=room_for(order),
        independent=("x",) if axis.independent else (),
        axes=("x",),
    )


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
    side_up = _Side("y", y, frame, [column for column in columns if column in frame])
    side_across = _Side("x", x, frame, (across, *(across_interval or ())))
    numbers = pd.api.types.is_numeric_dtype(frame[across])
    place = side_across.at(across) if numbers else _words_across(x, frame[across], grid.width)
    place |= side_up.at(up)
    looks, colour, single = _looks(frame, kinds)
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
        layers.append(lines.encode(**(place | side_up.at(f"mean({up})")), **one, **colour))
    # crosses are pale
    opacity = 0.45 if across_interval else 1
    for side, interval in ((side_across, across_interval), (side_up, up_interval)):
        if interval and _known(frame, interval[0]):
            rule = having(*interval).mark_rule(strokeWidth=1.2, opacity=opacity, **single)
            layers.append(rule.encode(**(place | side.between(interval)), **colour))
    points = alt.Chart().mark_point(filled=True, opacity=1, size=MARK - 10, **single)
    if large:
        points = alt.Chart().mark_point(style="outlined", filled=True, opacity=1)
        looks["size"] = alt.condition(only(large, True), alt.value(130), alt.value(22))
        looks["strokeWidth"] = alt.condition(only(large, True), alt.value(1.2), alt.value(0))
    layers.append(points.encode(**place, **looks, tooltip=said))
    return panels(
        layers,
        records(frame),
        grid,
        margin=AXES,
        gap=GAP + AXES if y.independent else GAP,
        independent=tuple(name for name, axis in (("x", x), ("y", y)) if axis.independent),
        axes=("x",),
    )


def _known(frame: pd.DataFrame, column: str) -> bool:
    return column in frame and bool(frame[column].notna().any())


def _looks(frame: pd.DataFrame, kinds: Kinds | None) -> tuple[dict[str, Any], ...]:
    """Channels of kinds, that of colour alone, and the look of marks that are all of one kind."""
    looks = kinds.looks(frame) if kinds else {}
    return looks, {"color": looks["color"]} if kinds else {}, {} if kinds else {"style": "single"}


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
