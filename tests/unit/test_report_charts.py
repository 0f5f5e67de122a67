"""Charts: Vega-Lite with its data in it, drawn into files, and what the page needs to draw them."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import altair as alt
import pytest

from library import Chart, chart, save_figure

HOSTILE = "</script><img src=x onerror=alert(1)>datum.value"
ROWS = [
    {"name": HOSTILE, "score": 61.5, "claim": "a"},
    {"name": "{'signal': 'width'}", "score": 48.0, "claim": "b"},
]


def drawn(rows: list[dict[str, Any]] = ROWS) -> alt.Chart:
    marks = alt.Chart(alt.InlineData(values=rows)).mark_point(filled=True)
    made: alt.Chart = marks.encode(
        x="score:Q",
        y=alt.Y("name:N", axis=alt.Axis(labelLimit=1000)),
        color=alt.Color("claim:N", scale=alt.Scale(range="ordinal"), legend=None),
    )
    return made


def test_a_chart_has_its_rows_and_no_look_of_its_own() -> None:
    made = chart("A caption.", "what it shows", drawn())
    assert made.rows == ROWS
    assert not {"config", "$schema", "datasets"} & set(made.spec)
    # as a section's file has it
    assert Chart(**json.loads(json.dumps(vars(made), allow_nan=False))) == made


@pytest.mark.parametrize("spec", [{}, {"data": {"url": "x.csv"}}, {"data": {"values": {}}}, {"data": []}, []])
def test_a_chart_without_its_rows_is_refused(spec: Any) -> None:
    with pytest.raises(ValueError, match="has its rows in it"):
        Chart("c", "a", spec)
    with pytest.raises(ValueError, match="has its rows in it"):
        chart("c", "a", alt.Chart(alt.UrlData("x.csv")).mark_point())


def test_files_are_the_same_every_time(tmp_path: Path) -> None:
    for name in ("one", "two"):
        save_figure(drawn(), "A caption.", tmp_path / f"{name}.svg", tmp_path / f"{name}.png", "mine")
    for kind in ("svg", "png"):
        assert (tmp_path / f"one.{kind}").read_bytes() == (tmp_path / f"two.{kind}").read_bytes()
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")
    other = [{**ROWS[0], "score": 12.0}, ROWS[1]]
    save_figure(drawn(other), "A caption.", tmp_path / "three.svg", tmp_path / "three.png", "mine")
    for kind in ("svg", "png"):
        assert (tmp_path / f"one.{kind}").read_bytes() != (tmp_path / f"three.{kind}").read_bytes()


def test_text_in_a_chart_is_drawn_as_it_is(tmp_path: Path) -> None:
    save_figure(drawn(), "A caption.", tmp_path / "a.svg", tmp_path / "a.png", "mine")
    tree = ElementTree.parse(tmp_path / "a.svg")
    words = {element.text for element in tree.iter() if element.tag.endswith("}text")}
    assert {row["name"] for row in ROWS} <= words
    tags = {element.tag.partition("}")[2] for element in tree.iter()}
    assert tags <= {"svg", "g", "path", "rect", "text", "line", "defs", "clipPath"}


def test_no_data_is_fetched_for_a_file(tmp_path: Path) -> None:
    elsewhere = alt.LookupData(alt.UrlData("http://127.0.0.1:9/x.json"), key="name", fields=["y"])
    looking = drawn().transform_lookup(lookup="name", from_=elsewhere)
    with pytest.raises(ValueError, match="not allowed"):
        save_figure(looking, "A caption.", tmp_path / "a.svg", tmp_path / "a.png", "mine")
    assert not list(tmp_path.iterdir())
