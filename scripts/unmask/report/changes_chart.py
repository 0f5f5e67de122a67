"""A chart of changes: numbers of models beside those of the models that they were made from."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import altair as alt

from unmask.report.panels import (
    MARK,
    STEP,
    Row,
    kinds,
    line,
    names_down,
    panels,
    plain,
    room_for,
    row_height,
    told,
)

ACROSS = 3
"""Panels in a row."""


@dataclass(frozen=True)
class Change:
    """What became of a number.

    panel: where it is drawn; row: what it is a number of; model: the one that was changed, kind: how.
    change: after less before, with the ends of its interval and p after correction; nan where they are
    not known.
    """

    panel: str
    row: str
    kind: str
    model: str
    before: float
    after: float
    low: float
    high: float
    p_holm: float

    @property
    def change(self) -> float:
        return self.after - self.before


@dataclass(frozen=True)
class Scale:
    """How changes are read: what is on the axis, where there is no bias, and with how many decimals.

    own: whether every panel has a number, and so a scale, of its own.
    """

    title: str
    no_bias: float
    decimals: int
    own: bool = False


def changes_chart(changes: Sequence[Change], scale: Scale) -> alt.FacetChart | None:
    """A tick for what was, and a mark for what is, with the interval of the change laid at the tick: it holds
    the tick where nothing may have changed. None where there is no change."""
    if not changes:
        return None
    rows = [_row(change) for change in changes]
    names = list(dict.fromkeys(change.row for change in changes))
    ways = list(dict.fromkeys(change.kind for change in changes))
    y = names_down("row", names)
    apart = {"yOffset": alt.YOffset("kind:N", sort=ways)} if len(ways) > 1 else {}
    looks = kinds("kind", "debiased by", ways)

    def x(field: str) -> alt.X:
        axis = alt.Axis(tickCount=5, labelFlush=False)
        # no mark lies on the edge
        own = alt.Scale(zero=False, padding=8)
        return alt.X(f"{field}:Q", title=scale.title, scale=own, axis=axis)

    base = alt.Chart().transform_calculate(least="datum.before + datum.low", most="datum.before + datum.high")
    layers = [
        line(x=scale.no_bias),
        base.mark_rule(strokeWidth=1.5).encode(x=x("least"), x2="most:Q", y=y, color=looks["color"], **apart),
        base.mark_tick(style="neutral", thickness=2, height=STEP - 6).encode(x=x("before"), y=y, **apart),
        base.mark_point(filled=True, opacity=1, size=MARK).encode(
            x=x("after"), y=y, tooltip=_told(scale.decimals), **looks, **apart
        ),
    ]
    own = ("x",) if scale.own else ()
    height, room = row_height(len(ways)), room_for(names)
    return panels(layers, rows, ACROSS, margin=room, height=height, own=own, between=": ")


def _row(change: Change) -> Row:
    return {name: plain(value) for name, value in asdict(change).items()} | {"change": plain(change.change)}


def _told(decimals: int) -> list[alt.Tooltip]:
    return told(
        panel="what",
        row="of",
        model="model",
        kind="debiased by",
        before=("before", f".{decimals}f"),
        after=("after", f".{decimals}f"),
        change=("change", f"+.{decimals}f"),
        low=("interval from", f"+.{decimals}f"),
        high=("interval to", f"+.{decimals}f"),
        p_holm=("p after Holm's correction", ".2g"),
    )
