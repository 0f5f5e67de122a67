"""Charts of points with intervals: down each panel the same names, from panel to panel one scale."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from unmask.report.panels import STEP, Row, claims, domain, having, kinds, line, names_down, panels, told

FIELDS = ("value", "low", "high", "chance_low", "chance_high", "beside")
"""What a point is drawn from, beside `panel` and `name`: its value and, where there are such, its interval, a
band and a value to hold it against; `kind` too, and what tooltips say."""


@dataclass(frozen=True)
class Kinds:
    """Points of several kinds, which colour and shape tell apart.

    title: of the legend. names: in their order. apart: whether a name has a point of each kind, one below the
    other. claimed: whether they are what may be claimed, from nothing to the most.
    """

    title: str
    names: Sequence[str]
    apart: bool = True
    claimed: bool = False


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
    of: Kinds | None = None,
    columns: int = 3,
    margin: int = 104,
) -> alt.FacetChart | None:
    """Panels in rows of so many, in the order of the data, as the names are; None where there is nothing.

    tooltips: what fields are called. margin: pixels for the names beside the panels.
    """
    if not rows:
        return None
    y = names_down("name", (row["name"] for row in rows), margin)
    scale, ticks = (
        alt.Scale(domain=domain(rows, FIELDS, axis.span, axis.round), nice=False, zero=False),
        alt.Axis(tickCount=5, grid=True),
    )

    def x(name: str) -> alt.X:
        return alt.X(f"{name}:Q", title=axis.title, scale=scale, axis=ticks)

    apart: dict[str, Any] = {}
    if of and of.apart:
        apart = {"yOffset": alt.YOffset("kind:N", sort=list(of.names))}
    looks = (claims if of.claimed else kinds)("kind", of.title, of.names) if of else {}
    style: dict[str, Any] = {} if of else {"style": "single"}
    base = alt.Chart()
    # bands first: what is drawn later lies over them
    layers: list[alt.Chart] = []
    if _any(rows, "chance_low"):
        layers.append(
            having("chance_low")
            .mark_bar(style="chance", height=STEP - 4)
            .encode(x=x("chance_low"), x2="chance_high:Q", y=y, **apart)
        )
    if axis.neutral is not None:
        layers.append(line(x=axis.neutral))
    if _any(rows, "low"):
        colour = {"color": looks["color"]} if looks else {}
        layers.append(
            base.mark_rule(strokeWidth=1.5, **style).encode(x=x("low"), x2="high:Q", y=y, **colour, **apart)
        )
    if _any(rows, "beside"):
        triangle = base.mark_point(style="reported", shape="triangle-up", size=70, opacity=1)
        layers.append(triangle.encode(x=x("beside"), y=y, **apart))
    tips = told(**{name: _told(rows, name, title, axis) for name, title in tooltips.items()})
    points = base.mark_point(filled=True, opacity=1, size=55, **style)
    layers.append(points.encode(x=x("value"), y=y, tooltip=tips, **looks, **apart))
    height = alt.Step(STEP * (len(of.names) if of and of.apart else 1), **{"for": "position"})
    return panels(layers, rows, columns, margin=margin, height=height, axes=("x",))


def _any(rows: Sequence[Row], name: str) -> bool:
    return any(row.get(name) is not None for row in rows)


def _told(rows: Sequence[Row], name: str, title: str, axis: Axis) -> str | tuple[str, str]:
    """A title, of a number with how it is written."""
    if any(isinstance(row.get(name), str) for row in rows):
        return title
    return title, "d" if all(isinstance(row.get(name), int) for row in rows) else axis.format
