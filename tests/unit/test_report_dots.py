"""Panels of points with intervals: what is drawn of rows, where, and what is not."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from drawn_marks import panels_of
from unmask.report.charts import chart, save_chart
from unmask.report.dots import Axis, Kinds, dots
from unmask.report.panels import Row

AXIS = Axis("what, in units", (0, 1), neutral=0.5, round=0.5)
HOSTILE = "'</script><b>\nsecond line"


def row(panel: str, name: str, value: float, **more: Any) -> Row:
    return {"panel": panel, "name": name, "value": value, **more}


ROWS = [
    row("p", "z", 0.25, low=0.1, high=0.75, kind="new"),
    row("p", "a", 0.5, low=None, high=None, kind="old"),
    row(HOSTILE, "z", 1.25, low=1.0, high=1.5, kind="old"),
]
KINDS = Kinds("which", ("old", "new"))


def layers(rows: list[Row], kinds: Kinds | None = KINDS) -> dict[str, dict[str, Any]]:
    """The layers of the chart of some rows, by the field on their axis, or their datum."""
    drawn = dots(rows, AXIS, {"name": "name", "value": "value"}, kinds)
    assert drawn
    spec = chart("caption", "alt", drawn).spec
    return {
        str(layer["encoding"]["x"].get("field", layer["encoding"]["x"].get("datum"))): layer
        for layer in spec["spec"]["layer"]
    }


def test_nothing_is_drawn_of_nothing() -> None:
    assert dots([], AXIS, {}) is None


def test_there_are_layers_for_what_is_known_alone() -> None:
    assert set(layers(ROWS)) == {"0.5", "low", "value"}
    plain = [row("p", "z", 0.25)]
    assert set(layers(plain, None)) == {"0.5", "value"}
    known = [{**ROWS[0], "chance_low": 0.2, "chance_high": 0.3, "beside": 0.4}]
    assert set(layers(known)) == {"0.5", "low", "value", "chance_low", "beside"}


def test_names_and_panels_are_in_the_order_of_the_data_on_one_scale() -> None:
    found = layers(ROWS)["value"]["encoding"]
    assert found["y"]["sort"] == ["z", "a"]
    # as far as an interval reaches, in whole steps; and what the axis covers at least
    assert found["x"]["scale"]["domain"] == [0, 1.5]
    assert layers(ROWS[:2])["value"]["encoding"]["x"]["scale"]["domain"] == [0, 1]
    below = [row("p", "z", -0.2, kind="old")]
    assert layers(below)["value"]["encoding"]["x"]["scale"]["domain"] == [-0.5, 1]


def test_kinds_have_a_shape_and_a_place_beside_a_colour() -> None:
    found = layers(ROWS)["value"]["encoding"]
    assert found["color"]["scale"] == {"domain": ["old", "new"], "range": "category"}
    assert found["shape"]["scale"]["domain"] == ["old", "new"]
    assert len(set(found["shape"]["scale"]["range"])) == 2
    assert found["yOffset"]["sort"] == ["old", "new"]
    together = Kinds("which", ("old", "new"), apart=False, claimed=True)
    assert "yOffset" not in layers(ROWS, together)["value"]["encoding"]


def test_no_band_is_drawn_where_none_is_known() -> None:
    rows = [
        row("p", "z", 0.25, chance_low=0.2, chance_high=0.4),
        row("p", "a", 0.5, chance_low=None, chance_high=None),
    ]
    drawn = dots(rows, AXIS, {"name": "name"})
    assert drawn
    (panel,) = panels_of(drawn)
    (band,) = panel.of("rect")
    # 300 pixels are 0 to 1
    assert (band.x, band.x2) == pytest.approx((60, 120))


def marks(path: Path, kind: str) -> list[str]:
    """Where the marks of a kind are in an SVG file."""
    tree = ElementTree.parse(path)
    parents = [each for each in tree.iter() if {kind, "role-mark"} <= set(each.get("class", "").split())]
    return [child.get("transform", "") for each in parents for child in each]


def test_what_is_drawn_is_where_the_numbers_are(tmp_path: Path) -> None:
    drawn = dots(ROWS, AXIS, {"name": "name"}, KINDS)
    assert drawn
    save_chart(drawn, tmp_path / "a.svg", tmp_path / "a.png")
    svg = (tmp_path / "a.svg").read_text(encoding="utf-8")
    places = [
        float(each.partition("(")[2].partition(",")[0]) for each in marks(tmp_path / "a.svg", "mark-symbol")
    ]
    # 300 pixels are 0 to 1.5
    assert places == pytest.approx([50, 100, 250])
    # an interval for each that has one, and one line of no effect in each panel
    lines = [each for each in ElementTree.fromstring(svg).iter() if each.tag.endswith("}line")]
    reaches = [abs(float(each.get("x2", 0))) for each in lines]
    assert sum(reach == pytest.approx(130) for reach in reaches) == 1
    assert sum(reach == pytest.approx(100) for reach in reaches) == 1
    texts = {each.text for each in ElementTree.fromstring(svg).iter() if each.text}
    # text is text; a panel's name may have lines
    assert {"'</script><b>", "second line", "what, in units", "which"} <= texts
