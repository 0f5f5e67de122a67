"""Charts as files, and why there is none."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import altair as alt
import pytest

from library import VERSION, names_of, save_charts


def words(svg: Path) -> set[str | None]:
    """What is written on a chart."""
    return {each.text for each in ElementTree.parse(svg).iter() if each.tag.endswith(("}text", "}tspan"))}


def test_a_chart_that_is_not_there_becomes_a_picture_of_its_reason(tmp_path: Path) -> None:
    rows = alt.InlineData(values=[{"name": "first", "x": 1.0}])
    drawn = alt.Chart(rows).mark_point().encode(x="x:Q", y="name:N")
    files = {f"{name}_{form}": tmp_path / f"{name}.{form}" for name in "ab" for form in ("svg", "png")}
    save_charts(
        [("a", drawn), ("b", "There is none.")],
        files,
        {"a": "Marks [x: by name]. A line. [z: None.]"},
        "mine",
    )
    assert {"first", "Marks by name.", "A line."} <= words(files["a_svg"])
    assert f"Study mine. Source: Unmask {VERSION}." in words(files["a_svg"])
    assert words(files["b_svg"]) == {"There is none."}
    assert all(files[f"{name}_png"].read_bytes().startswith(b"\x89PNG") for name in "ab")
    assert names_of(files) == ["a", "b"]


@pytest.mark.parametrize("text", [r"$\foo{$", "$a$ and $b$", "</script><b>", "datum.x", "100 % #1 ~ {a}"])
def test_a_reason_is_drawn_as_it_is(text: str, tmp_path: Path) -> None:
    save_charts([("a", text)], {"a_svg": tmp_path / "a.svg", "a_png": tmp_path / "a.png"}, {}, "mine")
    assert words(tmp_path / "a.svg") == {text}
