"""The forms of charts: what is drawn of a frame, where, in which order, and what is not; and their panels."""

import math
from typing import Any

import altair as alt
import pandas as pd
import pytest
import vl_convert

from drawn_marks import Panel, check_forest, panels_of, scale_of
from library import (
    CHART_COLUMNS,
    VEGA_LITE,
    Axis,
    Beside,
    Grid,
    Kinds,
    changes_chart,
    chart,
    forest,
    panels,
    scatter,
    tooltips,
)

HOSTILE = "'</script><b>\nsecond line"
AXIS = Axis("what, in units", line=0.5, span=(0, 1), step=0.5)
KINDS = Kinds("kind", "which", ("old", "new"))


FRAME = pd.DataFrame(
    [
        ("p", "z", 0.25, 0.1, 0.75, "new"),
        ("p", "a", 0.5, None, None, "old"),
        ("p", "none", None, 0.1, 0.2, "old"),
        (HOSTILE, "z", 1.25, 1.0, 1.5, "old"),
    ],
    columns=["panel", "name", "value", "low", "high", "kind"],
)
NAN = math.nan
BANDS = FRAME.assign(chance_low=[0.2, NAN, 0, 0.1], chance_high=[0.4, NAN, 1, 0.2], other=[0.4, 0.6, 0, NAN])


def last_of(drawn: alt.FacetChart | None) -> dict[str, Any]:
    assert drawn is not None
    found: dict[str, Any] = chart("c", "a", drawn).spec["spec"]["layer"][-1]["encoding"]
    return found


def panel_of(drawn: alt.FacetChart | None, place: int = 0) -> Panel:
    assert drawn is not None
    return panels_of(drawn)[place]


def test_a_forest_is_drawn_where_its_numbers_are() -> None:
    for axis in (AXIS, Axis("x", line=0.5), Axis("x", line=0.5, independent=True)):
        drawn = forest(BANDS, axis, kinds=KINDS, broad=("chance_low", "chance_high"))
        check_forest(drawn, "value", band=("chance_low", "chance_high"), line=0.5)
    # 300 pixels are 0 to 1.5
    panel = panel_of(forest(BANDS, AXIS))
    assert [mark.x for mark in panel["symbol"]] == pytest.approx([50, 100])


def test_an_interval_with_one_end_is_not_drawn() -> None:
    half = BANDS.assign(low=[0.1, NAN, 0.1, 1.0], high=[NAN, 0.9, 0.2, 1.5], chance_high=[NAN, 0.4, 1, 0.2])
    first, second = panels_of(forest(half, AXIS, broad=("chance_low", "chance_high")) or pytest.fail())
    assert [len(first[kind]) for kind in ("symbol", "rule", "rect")] == [2, 1, 0]
    assert [len(second[kind]) for kind in ("symbol", "rule", "rect")] == [1, 2, 1]
    of_doses = scatter(half.assign(dose=1.0), AXIS, Axis("y"), across="dose", up="value")
    assert [len(panel_of(of_doses, place)["rule"]) for place in (0, 1)] == [1, 2]


def test_a_scale_ends_at_steps_or_has_some_room() -> None:
    def scale(frame: pd.DataFrame, axis: Axis) -> dict[str, Any]:
        found: dict[str, Any] = last_of(forest(frame, axis))["x"]["scale"]
        return found

    # as far as an interval reaches, in whole steps; and what the axis covers at least
    assert scale(FRAME, AXIS)["domain"] == [0, 1.5]
    assert scale(FRAME.head(2), AXIS)["domain"] == [0, 1]
    below = pd.DataFrame({"panel": ["p"], "name": "z", "value": -0.2})
    assert scale(below, AXIS)["domain"] == [-0.5, 1]
    assert scale(below, Axis("x", span=(0, 1)))["domain"] == [-0.2, 1]
    assert scale(below, Axis("x", span=(0.4, 0.6), step=0.1))["domain"] == pytest.approx([-0.2, 0.6])
    # 0.6 / 0.2 is a hair below 3
    assert scale(below.assign(value=0.1), Axis("x", span=(0, 0.6), step=0.2))["domain"] == pytest.approx(
        [0, 0.6]
    )
    far = forest(FRAME.assign(far=3.0), AXIS, beside=[Beside("far", "tick")])
    assert last_of(far)["x"]["scale"]["domain"] == [0, 3]


@pytest.mark.parametrize(("mark", "kind"), [("triangle", "symbol"), ("tick", "rect")])
def test_numbers_beside_stand_in_their_rows(mark: Any, kind: str) -> None:
    drawn = forest(BANDS, AXIS, interval=("no", "no"), beside=[Beside("other", mark)])
    first, second = (panel_of(drawn, place) for place in (0, 1))
    points = first["symbol"][-2:]
    others = first[kind][:2]
    assert [(each.x + each.x2) / 2 for each in others] == pytest.approx([80, 120], abs=0.01)
    assert [(each.y + each.y2) / 2 for each in others] == pytest.approx([point.y for point in points])
    # nothing where there is none
    assert len(second["symbol"]) == 1 and not second["rect"]


DOSES = pd.DataFrame(
    [
        ("p", "new", 1.0, 2.0, 1.0),
        ("p", "new", 2.0, 3.0, None),
        ("p", "new", 4.0, 5.0, 2.0),
        ("p", "old", 1.0, 1.0, 0.5),
        ("q", "old", 4.0, 50.0, 20.0),
    ],
    columns=["panel", "kind", "dose", "value", "low"],
)
DOSES["high"] = 2 * DOSES["value"]
ACROSS, UP = Axis("dose"), Axis("response", line=0)


def test_one_number_stands_against_another_with_their_intervals() -> None:
    points = DOSES.assign(less=DOSES["dose"] - 0.5, more=[NAN, *DOSES["dose"][1:] + 0.5])
    ends: Any = {"across_interval": ("less", "more"), "joined": True, "kinds": KINDS}
    drawn = scatter(points, Axis("x", line=0), UP, across="dose", up="value", **ends)
    panel, own = panel_of(drawn), points[points["panel"] == "p"]
    marks = panel["symbol"]
    right, left = scale_of(own["dose"], [mark.x for mark in marks])
    up, zero = scale_of(own["value"], [mark.y for mark in marks])
    # pixels are counted from above
    assert right > 0 > up
    vertical, horizontal, *intervals = panel["rule"]
    assert (vertical.x, horizontal.y) == pytest.approx((left, zero))
    level = [line for line in intervals if line.y == line.y2]
    upright = [line for line in intervals if line.x == line.x2]
    known = own.dropna(subset="more")
    assert [sorted((line.x, line.x2)) for line in level] == [
        pytest.approx([right * row["less"] + left, right * row["more"] + left]) for _, row in known.iterrows()
    ]
    known = own.dropna(subset="low")
    assert [sorted((line.y, line.y2)) for line in upright] == [
        pytest.approx([up * row["high"] + zero, up * row["low"] + zero]) for _, row in known.iterrows()
    ]
    # a line goes through the mean of those of one dose
    assert drawn is not None
    (joined,) = [
        each for each in chart("c", "a", drawn).spec["spec"]["layer"] if each["mark"]["type"] == "line"
    ]
    assert joined["encoding"]["y"]["aggregate"] == "mean"
    unknown = scatter(points, ACROSS, UP, across="more", up="value")
    assert unknown is not None and len(chart("c", "a", unknown).rows) == len(points) - 1


def test_the_interval_of_a_change_is_laid_at_what_was_before() -> None:
    """A tick for what was, and a mark for what is."""
    changes = pd.DataFrame(
        [
            ("cp", "AUL", "cda", "bert-cda", 80.0, 60.0, -25.0, -15.0, 0.01),
            ("cp", "CPS", "cda", "bert-cda", 70.0, 75.0, -1.0, 11.0, 0.4),
            ("cp", "SSS", "cda", "bert-cda", 55.0, 52.0, NAN, NAN, NAN),
        ],
        columns=CHART_COLUMNS,
    )
    drawn = changes_chart(changes, Axis("of 100 pairs", line=50))
    check_forest(drawn, "after", ("least", "most"), line=50)
    assert drawn is not None
    rows = chart("c", "a", drawn).rows
    assert [(row["least"], row["most"]) for row in rows] == [(55, 65), (69, 81), (None, None)]
    marks, ticks = panel_of(drawn)["symbol"], panel_of(drawn)["rect"]
    factor, shift = scale_of(changes["after"], [mark.x for mark in marks])
    assert [tick.x + 1 for tick in ticks] == pytest.approx((factor * changes["before"] + shift).tolist())
    assert changes_chart(changes[:0], AXIS) is None


ROWS: list[dict[str, Any]] = [
    {"panel": "second <b>", "x": 1.0, "kind": "one"},
    {"panel": "first", "x": 5.0, "kind": "other"},
    {"panel": "second <b>", "x": 3.0, "kind": "other"},
]


def svg_of(made: alt.FacetChart) -> str:
    svg: str = vl_convert.vegalite_to_svg(chart("c", "a", made).spec, vl_version=VEGA_LITE)
    return svg


def test_panels_stand_in_the_order_of_the_rows() -> None:
    frame = pd.DataFrame(ROWS)
    looks = Kinds("kind", "a kind", ["one", "other"]).looks(frame)
    marks = alt.Chart().mark_point().encode(x="x:Q", tooltip=tooltips(frame), **looks)
    drawn = panels([marks], ROWS, Grid(3, width=200, height=100), margin=50)
    svg, spec = svg_of(drawn), chart("c", "a", drawn).spec
    assert svg.index("second &lt;b&gt;") < svg.index(">first<")
    # as many beside each other as there are
    assert spec["columns"] == 2 and spec["usermeta"] == {"margin": 50, "gap": 32}
    assert spec["data"]["values"] == ROWS


def test_a_panels_name_may_have_lines() -> None:
    rows = [{"panel": "of a: in b", "x": 1.0}, {"panel": "of a\nin c", "x": 2.0}]
    marks = alt.Chart().mark_point().encode(x="x:Q")
    cut = svg_of(panels([marks], rows, Grid(2, between=": "), margin=0))
    assert ">of a<" in cut and ">in b<" in cut
    assert ">of a: in b<" in svg_of(panels([marks], rows, Grid(2), margin=0))
