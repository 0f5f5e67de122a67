"""Charts of small panels, as the page can arrange them for any width."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right")
"""Of marks: what colours tell apart, shapes do too."""

Rows = Sequence[Mapping[str, Any]]


def panels(
    layers: Sequence[alt.Chart],
    rows: Rows,
    columns: int,
    *,
    width: int,
    height: "int | alt.Step",
    margin: int,
    gap: int = 32,
    aspect: float | None = None,
    own: Sequence[str] = (),
) -> alt.FacetChart:
    """A panel for each value of the field `panel`, in the order of the rows, as many beside each other as
    `columns` at the most.

    Fields `place` and `panel` are these panels' own. width, height: of a panel, in pixels; the page gives
    panels another width, and with `aspect` a height that is so much of it. margin: pixels for what stands
    beside all of them, such as an axis's labels; gap: between two, with an axis that each has. own: channels
    of which each panel has a scale and an axis of its own.
    """
    meta = {"margin": margin, "gap": gap, **({"aspect": aspect} if aspect else {})}
    drawn = (
        alt.layer(*layers)
        .properties(width=width, height=height)
        .facet(
            data=alt.InlineData(values=[dict(row) for row in rows]),
            facet=alt.Facet("panel:N", title=None, sort=alt.EncodingSortField("place", op="min")),
            columns=min(columns, len({row["panel"] for row in rows})),
            spacing={"row": 14, "column": 18},
        )
        # in the order of the data
        .transform_window(place="row_number()")
        .properties(usermeta=meta)
    )
    apart: Any = dict.fromkeys(own, "independent")
    return drawn.resolve_scale(**apart) if own else drawn


def only(field: str, value: str | bool) -> alt.FieldEqualPredicate:
    """The rows that have a value in a field. Values are this project's own, never text from data."""
    return alt.FieldEqualPredicate(field=field, equal=value)


def spanned(value: str, low: str = "low", high: str = "high") -> alt.Chart:
    """Rows with the fields `start` and `end`: those of an interval, and a value itself where it has none, so
    that a panel without any interval still has ends. The three are fields of this project's own."""
    ends = {"start": low, "end": high}
    drawn = alt.Chart().transform_calculate(
        **{end: f"isValid(datum.{field}) ? datum.{field} : datum.{value}" for end, field in ends.items()}
    )
    assert isinstance(drawn, alt.Chart)
    return drawn


def line(style: str = "neutral", **at: float) -> alt.Chart:
    """A line across each panel at a value of x or y, drawn once."""
    datum = {"x": alt.XDatum, "y": alt.YDatum}
    base = alt.Chart().transform_aggregate(rows="count()")
    drawn: alt.Chart = base.mark_rule(style=style).encode(**{axis: datum[axis](at[axis]) for axis in at})
    return drawn


def told(**fields: str | tuple[str, str]) -> list[alt.Tooltip]:
    """What a mark tells of itself: by field a title, and how a number is written (as d3-format has it)."""
    return [
        alt.Tooltip(f"{field}:N", title=each)
        if isinstance(each, str)
        else alt.Tooltip(f"{field}:Q", title=each[0], format=each[1])
        for field, each in fields.items()
    ]


def kinds(field: str, title: str | None, names: Sequence[str]) -> tuple[alt.Color, alt.Shape]:
    """A colour and a shape for each of these values of a field, with one legend for both."""
    shapes = [SHAPES[place % len(SHAPES)] for place in range(len(names))]
    return (
        alt.Color(f"{field}:N", title=title, scale=alt.Scale(domain=list(names), range="category")),
        alt.Shape(f"{field}:N", title=title, scale=alt.Scale(domain=list(names), range=shapes)),
    )


def known(value: Any) -> float | None:
    """A number as JSON has it: none where there is none."""
    found = None if value is None else float(value)
    return None if found is None or found != found else found
