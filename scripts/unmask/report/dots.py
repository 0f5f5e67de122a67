"""Charts of points with intervals: down each panel the same names, from panel to panel one scale."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

STEP = 17
"""Pixels from one name to the next; more where several points have one name."""

WIDTH = 300
"""Pixels of a panel, where the page has no reason for another width."""

SHAPES = ("circle", "square", "diamond", "triangle-down", "cross")

Row = dict[str, Any]
"""What a point is drawn from: `panel`, `name` and `value`; where there are such, `low` and `high` (its
interval), `kind`, `chance_low` and `chance_high` (a band), `beside` (a value to hold it against), and what
tooltips say."""


@dataclass(frozen=True)
class Kinds:
    """Points of several kinds, which colour and shape tell apart.

    title: of the legend. names: in their order. apart: whether a name has a point of each kind, one below the
    other. range: the theme's range of colours. shapes: as many as names, or more.
    """

    title: str
    names: Sequence[str]
    apart: bool = True
    range: str = "category"
    shapes: Sequence[str] = SHAPES


@dataclass(frozen=True)
class Axis:
    """title: with the unit. span: what the scale covers at least. neutral: where the line of no effect is.
    round: the scale ends at multiples of it. format: of numbers, as d3 has it."""

    title: str
    span: tuple[float, float]
    neutral: float | None = None
    round: float = 1.0
    format: str = ".2f"


def dots(
    rows: Sequence[Row],
    axis: Axis,
    tooltips: Mapping[str, str],
    kinds: Kinds | None = None,
    columns: int = 3,
    margin: int = 104,
) -> alt.FacetChart | None:
    """Panels in rows of so many, in the order of the data, as the names are; None where there is nothing.

    tooltips: what fields are called. margin: pixels for the names beside the panels.
    """
    if not rows:
        return None
    names = list(dict.fromkeys(row["name"] for row in rows))
    # the page makes names narrower than its margin no shorter
    labels = alt.Axis(labelLimit=margin - 8, minExtent=margin, maxExtent=margin)
    y = alt.Y("name:N", sort=names, title=None, axis=labels)
    scale, ticks = (
        alt.Scale(domain=_domain(rows, axis), nice=False, zero=False),
        alt.Axis(tickCount=5, grid=True),
    )

    def x(name: str) -> alt.X:
        return alt.X(f"{name}:Q", title=axis.title, scale=scale, axis=ticks)

    apart: dict[str, Any] = {}
    if kinds and kinds.apart:
        apart = {"yOffset": alt.YOffset("kind:N", sort=list(kinds.names))}
    look: dict[str, Any] = _look(kinds) if kinds else {}
    style: dict[str, Any] = {} if kinds else {"style": "single"}
    base = alt.Chart()
    # bands first: what is drawn later lies over them
    layers: list[alt.Chart] = []
    if _any(rows, "chance_low"):
        layers.append(
            base.mark_bar(style="chance", height=STEP - 4).encode(
                x=x("chance_low"), x2="chance_high:Q", y=y, **apart
            )
        )
    if axis.neutral is not None:
        # one line, not one for each row
        once = base.transform_aggregate(rows="count()")
        line = alt.XDatum(axis.neutral, title=axis.title, scale=scale, axis=ticks)
        layers.append(once.mark_rule(style="neutral").encode(x=line))
    if _any(rows, "low"):
        colour = {"color": look["color"]} if look else {}
        layers.append(
            base.mark_rule(strokeWidth=1.5, **style).encode(x=x("low"), x2="high:Q", y=y, **colour, **apart)
        )
    if _any(rows, "beside"):
        triangle = base.mark_point(style="reported", shape="triangle-up", size=70, opacity=1)
        layers.append(triangle.encode(x=x("beside"), y=y, **apart))
    told = [_tooltip(rows, name, title, axis) for name, title in tooltips.items()]
    points = base.mark_point(filled=True, opacity=1, size=55, **style)
    layers.append(points.encode(x=x("value"), y=y, tooltip=told, **look, **apart))
    height = alt.Step(STEP * (len(kinds.names) if kinds and kinds.apart else 1), **{"for": "position"})
    return facets(layers, rows, (WIDTH, height), columns, margin)


def facets(
    layers: Sequence[alt.Chart],
    rows: Sequence[Mapping[str, Any]],
    size: tuple[int, int | alt.Step],
    columns: int,
    margin: int,
) -> alt.FacetChart:
    """A panel of these layers for each value of the field `panel`, in the order of the data.

    A value may have several lines. Layers find the place of each row in the field `in_order`. size: width and
    height of a panel. columns: so many in a row. margin: pixels beside them, from which the page knows how
    many it has room for.
    """
    made: alt.FacetChart = (
        alt.layer(*layers, width=size[0], height=size[1])
        .facet(
            data=alt.InlineData(values=list(rows)),
            facet=alt.Facet(
                "panel:N",
                title=None,
                sort=alt.EncodingSortField("in_order", op="min"),
                header=alt.Header(labelExpr=r"split(datum.label, '\n')"),
            ),
            columns=min(columns, len({row["panel"] for row in rows})),
            spacing={"row": 14, "column": 18},
        )
        .transform_window(in_order="row_number()")
        .properties(usermeta={"margin": margin})
    )
    return made


def only(drawn: str) -> alt.Chart:
    """For a layer of the rows whose field `drawn` is this."""
    chosen: alt.Chart = alt.Chart().transform_filter(alt.FieldEqualPredicate(field="drawn", equal=drawn))
    return chosen


def known(**values: Any) -> dict[str, float | None]:
    """Numbers as JSON has them: null for what is missing."""
    return {name: None if pd.isna(value) else float(value) for name, value in values.items()}


def _any(rows: Sequence[Row], name: str) -> bool:
    return any(row.get(name) is not None for row in rows)


def _domain(rows: Sequence[Row], axis: Axis) -> list[float]:
    reach = ("value", "low", "high", "chance_low", "chance_high", "beside")
    reached = [row[name] for row in rows for name in reach if row.get(name) is not None]
    low, high = min(axis.span[0], *reached), max(axis.span[1], *reached)
    return [axis.round * _floor(low / axis.round), axis.round * -_floor(-high / axis.round)]


def _floor(value: float) -> int:
    # division may leave a whole number a hair below itself
    return math.floor(value + 1e-9)


def _look(kinds: Kinds) -> dict[str, Any]:
    names = list(kinds.names)
    colours = alt.Scale(domain=names, range=kinds.range)
    shapes = alt.Scale(domain=names, range=list(kinds.shapes[: len(names)]))
    return {
        "color": alt.Color("kind:N", title=kinds.title, scale=colours),
        "shape": alt.Shape("kind:N", title=kinds.title, scale=shapes),
    }


def _tooltip(rows: Sequence[Row], name: str, title: str, axis: Axis) -> alt.Tooltip:
    if any(isinstance(row.get(name), str) for row in rows):
        return alt.Tooltip(f"{name}:N", title=title)
    whole = all(isinstance(row.get(name), int) for row in rows)
    return alt.Tooltip(f"{name}:Q", title=title, format="d" if whole else axis.format)
