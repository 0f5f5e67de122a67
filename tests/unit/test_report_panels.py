"""Small panels: in the order of the rows, with scales of their own, and as files."""

import json
import xml.etree.ElementTree as ElementTree
from typing import Any

import altair as alt
import vl_convert

from unmask.report.charts import VEGA_LITE, chart
from unmask.report.panels import SHAPES, kinds, known, line, only, panels, told

ROWS: list[dict[str, Any]] = [
    {"panel": "second <b>", "x": 1.0, "kind": "one"},
    {"panel": "first", "x": 5.0, "kind": "other"},
    {"panel": "second <b>", "x": 3.0, "kind": "other"},
]


def drawn(**options: Any) -> alt.FacetChart:
    colour, shape = kinds("kind", "a kind", ["one", "other"])
    marks = alt.Chart().mark_point().encode(x="x:Q", color=colour, shape=shape, tooltip=told(x=("x", ".1f")))
    return panels([line(x=2), marks], ROWS, 3, width=200, height=100, margin=50, **options)


def svg_of(made: alt.FacetChart) -> str:
    svg: str = vl_convert.vegalite_to_svg(chart("c", "a", made).spec, vl_version=VEGA_LITE)
    return svg


def marks_in(svg: str, kind: str) -> int:
    """How many marks of a kind a picture has."""
    groups = [each for each in ElementTree.fromstring(svg).iter() if each.get("class", "").startswith(kind)]
    return sum(len(group) for group in groups)


def test_panels_stand_in_the_order_of_the_rows() -> None:
    svg = svg_of(drawn())
    assert svg.index("second &lt;b&gt;") < svg.index(">first<")
    spec = chart("c", "a", drawn()).spec
    # as many beside each other as there are
    assert spec["columns"] == 2 and spec["usermeta"] == {"margin": 50, "gap": 32}
    assert spec["data"]["values"] == ROWS


def test_a_line_is_drawn_once_in_each_panel() -> None:
    assert marks_in(svg_of(drawn()), "mark-rule role-mark") == 2


def test_panels_have_scales_of_their_own_where_these_are_asked_for() -> None:
    assert "resolve" not in chart("c", "a", drawn()).spec
    spec = chart("c", "a", drawn(own=("x",), aspect=0.5, gap=70)).spec
    assert spec["resolve"] == {"scale": {"x": "independent"}}
    assert spec["usermeta"] == {"margin": 50, "gap": 70, "aspect": 0.5}


def test_shapes_and_colours_follow_the_same_names() -> None:
    colour, shape = (json.loads(each.to_json()) for each in kinds("kind", "t", [str(n) for n in range(9)]))
    assert colour["scale"]["domain"] == shape["scale"]["domain"] and colour["scale"]["range"] == "category"
    assert shape["scale"]["range"] == [*SHAPES, *SHAPES[:2]] and len(set(SHAPES)) == len(SHAPES)


def test_only_some_rows_are_drawn() -> None:
    marks = alt.Chart().transform_filter(only("kind", "other")).mark_point().encode(x="x:Q")
    made = panels([marks], ROWS, 2, width=200, height=100, margin=0)
    assert marks_in(svg_of(made), "mark-symbol role-mark") == 2


def test_no_number_is_none() -> None:
    assert [known(value) for value in (1, 2.5, float("nan"), None)] == [1.0, 2.5, None, None]
