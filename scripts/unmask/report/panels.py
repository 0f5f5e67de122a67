"""Charts of small panels, as the page can arrange them for any width, and what they are made of."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

STEP = 17
"""Pixels from one row of a panel to the next."""

WIDTH, HEIGHT = 300, 190
"""Pixels of a panel, where there is no reason for others."""

MARK = 50
"""Square pixels of a mark."""

MOST_ROOM = 200
"""Pixels that names beside panels have at most; longer ones are cut (in the theme, too)."""

AXES = 50
"""Pixels for the numbers of an axis and its title, beside panels."""

GAP = 32
"""Pixels from one panel to the next, with what stands out of each; the page has the same."""

SHAPES = ("circle", "square", "diamond", "triangle-down", "cross", "triangle-right")
"""Of marks: what colours tell apart, shapes do too, and both together more than either."""

OF_CLAIMS = (*("circle", "diamond", "square", "cross", "triangle-right", "triangle-up", "triangle-left"),)
"""Shapes of verdicts and judgements, in the order of their colours (unmask.report.charts.RANGES)."""

_LETTER = 6.4
"""Pixels of a letter of a label, on average."""

Row = dict[str, Any]
"""A row of a chart's data: null where nothing is known."""

Rows = Sequence[Mapping[str, Any]]

Looks = dict[str, Any]
"""The channels color and shape."""


def plain(value: Any) -> Any:
    """A value of a table as JSON has it."""
    if value is None or pd.isna(value):
        return None
    return value.item() if isinstance(value, np.generic) else value


def records(frame: pd.DataFrame) -> list[Row]:
    """The rows of a frame as a chart's data."""
    return [dict(zip(frame.columns, map(plain, row), strict=True)) for row in frame.itertuples(index=False)]


def columns_of(frame: pd.DataFrame, *same: str, **others: Any) -> pd.DataFrame:
    """A frame of some columns of another, and of others under names of their own: the name of a column that
    the other frame has, or the values."""
    renamed = {name: frame[each] if isinstance(each, str) else each for name, each in others.items()}
    return frame[[*same]].assign(**renamed)


def by_value(
    frame: pd.DataFrame, columns: str | list[str], values: Iterable[Any] | None = None
) -> pd.DataFrame:
    """The rows that have one of these values in a column, or in several, in the order of the values: by
    default all rows, in the order in which their values are first met."""
    keys = pd.MultiIndex.from_frame(frame[[columns] if isinstance(columns, str) else columns])
    one = keys.get_level_values(0) if isinstance(columns, str) else keys
    order = one.unique() if values is None else pd.Index(list(dict.fromkeys(values)))
    places = order.get_indexer(one)
    return frame[places >= 0].take(np.argsort(places[places >= 0], kind="stable"))


class SharedData(alt.InlineData):
    """Data that the copies of a chart share: each method of a chart copies it, and would copy every row."""

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> "SharedData":
        return self


def panels(
    layers: Sequence[alt.Chart],
    rows: Rows,
    columns: int,
    *,
    margin: int,
    width: int = WIDTH,
    height: int | alt.Step = HEIGHT,
    gap: int = GAP,
    aspect: float | None = None,
    independent: Sequence[str] = (),
    axes: Sequence[str] = (),
    between: str = "\n",
) -> alt.FacetChart:
    """A panel for each value of the field `panel`, in the order of the rows, as many beside each other as
    `columns` at the most; later layers lie over earlier ones.

    The field `place` is these panels' own: which row each is. width, height: of a panel, in pixels; the page
    gives panels another width, and with `aspect` a height that is so much of it. margin: pixels for what
    stands beside all of them, such as an axis's labels; gap: between two, with an axis that each has.
    independent: channels of which each panel has a scale and an axis of its own; axes: an axis alone.
    between: what stands in the name of a panel between two lines.
    """
    each = (("scale", independent), ("axis", axes))
    apart: Any = {what: dict.fromkeys(channels, "independent") for what, channels in each if channels}
    # in one go: each method of a chart copies it, with all its layers
    return alt.FacetChart(
        data=SharedData(values=[dict(row) for row in rows]),
        spec=alt.LayerChart(layer=layers, width=width, height=height),
        facet=alt.Facet(
            "panel:N",
            title=None,
            sort=alt.EncodingSortField("place", op="min"),
            header=alt.Header(labelExpr=f"split(datum.label, {json.dumps(between)})", labelLimit=width),
        ),
        columns=min(columns, len({row["panel"] for row in rows})),
        spacing={"row": 14, "column": 18},
        # in the order of the data
        transform=[{"window": [{"op": "row_number", "as": "place"}]}],
        usermeta={
            "margin": margin,
            "gap": gap,
            **({"aspect": aspect} if aspect else {}),
        },
        resolve=alt.Resolve(**apart) if apart else alt.Undefined,
    )


def domain(
    frame: pd.DataFrame, columns: Iterable[str], span: tuple[float, float], step: float | None = None
) -> list[float]:
    """The ends of a scale, in whole steps if there is one: it covers a span, and all that is known in some
    columns."""
    known = frame[[*columns]].astype(float)
    low, high = float(np.fmin(span[0], known.min().min())), float(np.fmax(span[1], known.max().max()))
    return [low, high] if step is None else [step * _floor(low / step), step * -_floor(-high / step)]


def _floor(value: float) -> int:
    # division may leave a whole number a hair below itself
    return math.floor(value + 1e-9)


def only(field: str, value: str | bool) -> alt.FieldEqualPredicate:
    """The rows that have a value in a field. Values are this project's own, never text from data."""
    return alt.FieldEqualPredicate(field=field, equal=value)


def having(*fields: str) -> alt.Chart:
    """For a layer of the rows that have a value in all fields: a bar without ends would lie at the edge."""
    drawn: alt.Chart = alt.Chart()
    for field in fields:
        drawn = drawn.transform_filter(alt.FieldValidPredicate(field=field, valid=True))
    return drawn


def line(**at: float) -> alt.Chart:
    """A line across each panel at a value of x or y, drawn once and not for each row."""
    datum = {"x": alt.XDatum, "y": alt.YDatum}
    base = alt.Chart().transform_aggregate(rows="count()")
    drawn: alt.Chart = base.mark_rule(style="neutral").encode(**{axis: datum[axis](at[axis]) for axis in at})
    return drawn


def names_down(field: str, names: Iterable[str]) -> alt.Y:
    """Names down the side of panels, in their order."""
    return alt.Y(f"{field}:N", sort=list(dict.fromkeys(names)), title=None)


def room_for(names: Iterable[str]) -> int:
    """Pixels for names beside panels."""
    return min(MOST_ROOM, round(_LETTER * max(map(len, names), default=0)) + 16)


def row_height(marks: int) -> alt.Step:
    """Of rows of a panel that have so many marks below each other."""
    pixels = STEP if marks < 2 else 5 + (STEP - 5) * marks
    return alt.Step(pixels, **{"for": "position"})


def kinds(
    field: str,
    title: str | None,
    names: Sequence[str],
    colours: str = "category",
    shapes: Any = SHAPES,
    listed: Sequence[str] | None = None,
) -> Looks:
    """A colour and a shape for each of these values of a field, with one legend for both.

    colours: a range of the theme. listed: those of the names that the legend has, in its order; by default
    all.
    """
    of_names = [shapes[place % len(shapes)] for place in range(len(names))]
    # lines may be pale, and their legend is that of the marks
    legend = alt.Legend(symbolOpacity=1, values=alt.Undefined if listed is None else list(listed))
    return {
        channel: kind(f"{field}:N", title=title, legend=legend, scale=alt.Scale(domain=list(names), range=of))
        for channel, kind, of in (("color", alt.Color, colours), ("shape", alt.Shape, of_names))
    }


def tooltips(frame: pd.DataFrame) -> list[alt.Tooltip]:
    """What a mark says of itself: all that its row has, by the names of the columns of a chart's data."""
    return [_tooltip(str(name), frame[name].infer_objects().dtype) for name in frame]


def _tooltip(name: str, dtype: Any) -> alt.Tooltip:
    title = name.replace("_", " ")
    if pd.api.types.is_bool_dtype(dtype) or not pd.api.types.is_numeric_dtype(dtype):
        return alt.Tooltip(f"{name}:N", title=title)
    form = ",d" if pd.api.types.is_integer_dtype(dtype) else ".4~g"
    return alt.Tooltip(f"{name}:Q", title=title, format=form)
