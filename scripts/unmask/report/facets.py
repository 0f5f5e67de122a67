"""Charts in panels: small pictures of one kind, beside and below each other as there is room for them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

STEP = 17
"""Pixels from one row of a panel to the next."""

WIDTH = 300
"""Pixels of a panel, where the page has no reason for another width."""

MARK = 50
"""Square pixels of a mark."""

MOST_MARGIN = 200
"""Pixels that names beside panels have at most; longer ones are cut (in the theme, too)."""

AXES = 50
"""Pixels for the numbers of an axis and its title, beside panels."""

GAP = 32
"""Pixels from one panel to the next, with what stands out of each; the page has the same."""

_LETTER = 6.4
"""Pixels of a letter of a label, on average."""

NO_BIAS = "0"
"""What is drawn where there is no band: a bar without width."""

Row = dict[str, Any]
"""A row of a chart's data: null where nothing is known."""

Looks = Mapping[str, Any]
"""The channels color and shape."""


def plain(value: Any) -> Any:
    """A value of a table as JSON has it."""
    if value is None or pd.isna(value):
        return None
    return value.item() if isinstance(value, np.generic) else value


def of_row(row: Any, columns: Mapping[str, str]) -> Row:
    """The fields of a row of a table under the names that a chart has for them: {name: column}."""
    return {name: plain(getattr(row, column)) for name, column in columns.items()}


def margin(names: Iterable[str]) -> int:
    """Pixels for names beside panels."""
    return min(MOST_MARGIN, round(_LETTER * max(map(len, names), default=0)) + 16)


@dataclass(frozen=True)
class Layout:
    """How panels stand: so many in a row at most, beside so many pixels of names or an axis; their width and
    height.

    ends: fields of intervals and bands that may be null, each with what is drawn instead under the name
    {field}_at: the field of the mark, which hides it, or NO_BIAS (a panel without any number would have no
    scale).
    """

    columns: int
    beside: int
    width: int = WIDTH
    height: Any = 190
    ends: Mapping[str, str] = field(default_factory=dict)


def panels(layers: Sequence[alt.Chart], rows: Sequence[Row], layout: Layout) -> alt.FacetChart:
    """A panel for each value of `panel`, in the order of the rows; later layers lie over earlier ones."""
    drawn: alt.FacetChart = (
        alt.layer(*layers)
        .properties(width=layout.width, height=layout.height)
        .facet(
            data=alt.InlineData(values=list(rows)),
            facet=alt.Facet(
                "panel:N",
                title=None,
                sort=alt.EncodingSortField("place", op="min"),
                # names are long: what stands before a colon has a line of its own
                header=alt.Header(labelExpr="split(datum.label, ': ')"),
            ),
            columns=min(layout.columns, len({row["panel"] for row in rows})),
            spacing={"row": 16, "column": 20},
        )
        .transform_window(place="row_number()")
        .transform_calculate(**_drawn_at(layout.ends))
        # the page makes panels as wide as there is room for
        .properties(usermeta={"margin": layout.beside})
    )
    return drawn


def _drawn_at(ends: Mapping[str, str]) -> dict[str, Any]:
    return {
        f"{end}_at": f"isValid(datum.{end}) ? datum.{end} : {other if other == NO_BIAS else f'datum.{other}'}"
        for end, other in ends.items()
    }


def row_height(marks: int, room: int = STEP) -> alt.Step:
    """Of rows of a panel that have so many marks below each other. room: pixels of one alone."""
    pixels = room if marks < 2 else 5 + (STEP - 5) * marks
    return alt.Step(max(room, pixels), **{"for": "position"})


def with_shared_scales(
    layers: Sequence[alt.Chart], rows: Sequence[Row], layout: Layout, by: str, ends: Sequence[str]
) -> alt.FacetChart:
    """`panels` whose y has one scale for all that have the same field `by`, and others another.

    ends: how far it reaches, such as max(value).
    """
    names: dict[str, Any] = {f"end_{place}": end for place, end in enumerate(ends)}
    unseen: list[alt.Chart] = [
        alt.Chart()
        .transform_aggregate(
            [alt.AggregatedFieldDef(op="max", field=name, **{"as": name})], groupby=["panel"]
        )
        .mark_point(opacity=0)
        .encode(y=alt.Y(f"{name}:Q"))
        for name in names
    ]
    drawn = panels([*layers, *unseen], rows, layout).transform_joinaggregate(groupby=[by], **names)
    apart = {"margin": layout.beside, "gap": GAP + AXES}
    return with_own_scales(drawn.properties(usermeta=apart), "y")


def _independent(axes: Sequence[str]) -> dict[str, Any]:
    return dict.fromkeys(axes, "independent")


def with_own_scales(drawn: alt.FacetChart, *axes: str) -> alt.FacetChart:
    """The same with a scale for each panel. axes: x or y."""
    made: alt.FacetChart = drawn.resolve_scale(**_independent(axes))
    return made


def line(at: alt.XDatum | alt.YDatum) -> alt.Chart:
    """A line across or down every panel, where nothing has an effect."""
    # one for all rows of a panel
    once = alt.Chart().transform_aggregate(rows="count()", groupby=["panel"]).mark_rule(style="neutral")
    drawn: alt.Chart = once.encode(x=at) if isinstance(at, alt.XDatum) else once.encode(y=at)
    return drawn


def rows_down(name: str, names: Sequence[str]) -> alt.Y:
    """Names down the side of panels, in their order."""
    return alt.Y(f"{name}:N", sort=list(names), title=None)


def of_kinds(name: str, kinds: Sequence[str], title: str) -> Looks:
    """Colour and shape for each kind, with one legend."""
    return _looks(name, kinds, title, "category", alt.Undefined)


def of_claims(name: str, claims: Sequence[str], title: str) -> Looks:
    """The same for what may be claimed, from nothing to the most: three claims at most."""
    return _looks(name, claims, title, "ordinal", ["circle", "diamond", "square"][: len(claims)])


def _looks(name: str, kinds: Sequence[str], title: str, colours: Any, shapes: Any) -> Looks:
    # lines may be pale, and their legend is that of the marks
    legend = alt.Legend(symbolOpacity=1)
    return {
        "color": alt.Color(
            f"{name}:N", title=title, scale=alt.Scale(domain=list(kinds), range=colours), legend=legend
        ),
        "shape": alt.Shape(
            f"{name}:N", title=title, scale=alt.Scale(domain=list(kinds), range=shapes), legend=legend
        ),
    }


def tooltips(
    texts: Mapping[str, str], numbers: Mapping[str, str], decimals: int, signed: bool = False
) -> list[alt.Tooltip]:
    """What is told of a mark: texts, then numbers, each by its field with what it is called."""
    form = f"{'+' if signed else ''}.{decimals}f"
    return [
        *(alt.Tooltip(f"{name}:N", title=title) for name, title in texts.items()),
        *(alt.Tooltip(f"{name}:Q", title=title, format=form) for name, title in numbers.items()),
    ]
