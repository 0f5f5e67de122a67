"""Small panels: in the order of the rows, with scales of their own, and as files."""

import json
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import pytest
import vl_convert

from library import VEGA_LITE, Row, by_value, chart, domain, kinds, line, panels, plain, tooltips

ROWS: list[Row] = [
    {"panel": "second <b>", "x": 1.0, "kind": "one"},
    {"panel": "first", "x": 5.0, "kind": "other"},
    {"panel": "second <b>", "x": 3.0, "kind": "other"},
]


def drawn(**options: Any) -> alt.FacetChart:
    looks = kinds("kind", "a kind", ["one", "other"])
    marks = alt.Chart().mark_point().encode(x="x:Q", tooltip=tooltips(pd.DataFrame(ROWS)), **looks)
    return panels([line(x=2), marks], ROWS, 3, width=200, height=100, margin=50, **options)


def svg_of(made: alt.FacetChart) -> str:
    svg: str = vl_convert.vegalite_to_svg(chart("c", "a", made).spec, vl_version=VEGA_LITE)
    return svg


def test_panels_stand_in_the_order_of_the_rows() -> None:
    svg = svg_of(drawn())
    assert svg.index("second &lt;b&gt;") < svg.index(">first<")
    spec = chart("c", "a", drawn()).spec
    # as many beside each other as there are
    assert spec["columns"] == 2 and spec["usermeta"] == {"margin": 50, "gap": 32}
    assert spec["data"]["values"] == ROWS


def test_values_of_tables_are_as_json_has_them() -> None:
    values = [1, 2.5, float("nan"), None, pd.NA, np.float64(0.5), np.int64(3), np.bool_(True), "a"]
    made = [plain(value) for value in values]
    assert made == [1, 2.5, None, None, None, 0.5, 3, True, "a"]
    assert json.loads(json.dumps(made)) == made


def test_a_panels_name_may_have_lines() -> None:
    rows = [{"panel": "of a: in b", "x": 1.0}, {"panel": "of a\nin c", "x": 2.0}]
    marks = alt.Chart().mark_point().encode(x="x:Q")
    cut = svg_of(panels([marks], rows, 2, margin=0, between=": "))
    assert ">of a<" in cut and ">in b<" in cut
    assert ">of a: in b<" in svg_of(panels([marks], rows, 2, margin=0))


def test_a_scale_covers_its_span_and_all_that_is_known() -> None:
    frame = pd.DataFrame({"x": [47.0, 52.0], "low": [38.0, None]})
    assert domain(frame, ("x", "low"), (40, 60), 5) == [35, 60]
    assert domain(frame, ("x",), (40, 60), 5) == [40, 60]
    assert domain(frame, ("x", "low"), (40, 50)) == [38, 52]
    assert domain(frame.assign(x=None), ("x",), (40, 60), 5) == [40, 60]
    assert domain(pd.DataFrame({"x": [0.61]}), ("x",), (0.4, 0.6), 0.1) == pytest.approx([0.4, 0.7])
    # 0.6 / 0.2 is a hair below 3
    assert domain(pd.DataFrame({"x": [0.1]}), ("x",), (0, 0.6), 0.2) == pytest.approx([0, 0.6])


def test_rows_are_in_the_order_of_values_and_else_as_they_stand() -> None:
    frame = pd.DataFrame({"a": ["z", "a", "n", "z", "a"], "b": range(5)}, index=[0] * 5)
    assert by_value(frame, "a", ["a", "z", "a"])["b"].tolist() == [1, 4, 0, 3]
    assert by_value(frame, "a")["b"].tolist() == [0, 3, 1, 4, 2]
    odd = frame.assign(odd=frame["b"] % 2)
    assert by_value(odd, ["a", "odd"], [("a", 0), ("z", 0)])["b"].tolist() == [4, 0]
    assert by_value(frame.head(0), "a").empty
