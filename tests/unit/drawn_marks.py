"""Where the marks of a chart are, in pixels, as Vega draws them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import pytest
import vl_convert

from library import VEGA_LITE, chart, theme


@dataclass(frozen=True)
class Mark:
    """layer: its number in its panel. x2, y2: the other end, if it has one."""

    layer: int
    x: float
    y: float
    x2: float
    y2: float


Panel = dict[str, list[Mark]]
"""The marks of a panel that can be seen, by kind: rule, rect or symbol; in order of layers."""


def panels_of(drawn: alt.FacetChart) -> list[Panel]:
    """The panels of a chart, in the order of their drawing."""
    spec = chart("c", "a", drawn).spec
    known = vl_convert.vegalite_to_scenegraph(spec, vl_version=VEGA_LITE, config=theme("light"))
    cells = (group["items"] for group in _groups(known["scenegraph"]) if group.get("name") == "cell")
    return [_marks(cell.get("items", [])) for items in cells for cell in items]


def _groups(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        if node.get("marktype") == "group":
            yield node
        for item in node.get("items", []):
            yield from _groups(item)


def _marks(layers: Iterable[dict[str, Any]]) -> Panel:
    panel: Panel = {"rule": [], "rect": [], "symbol": []}
    shown = [each for each in layers if each.get("role") == "mark" and each["marktype"] in panel]
    for number, layer in enumerate(shown):
        for item in layer["items"]:
            if item.get("opacity", 1):
                x, y = item.get("x", 0), item.get("y", 0)
                x2, y2 = item.get("x2", x + item.get("width", 0)), item.get("y2", y + item.get("height", 0))
                panel[layer["marktype"]].append(Mark(number, x, y, x2, y2))
    return panel


def scale_of(values: Iterable[float], pixels: Iterable[float]) -> tuple[float, float]:
    """How pixels go with values: pixels = factor * value + shift. Fails where they are on no line."""
    ones, others = np.array(list(values), float), np.array(list(pixels), float)
    assert len(ones) == len(others) and len(set(ones)) > 1
    factor, shift = np.polyfit(ones, others, 1)
    np.testing.assert_allclose(others, factor * ones + shift, atol=0.01)
    return float(factor), float(shift)


def check_forest(
    drawn: alt.FacetChart | None,
    value: str,
    interval: tuple[str, str] = ("low", "high"),
    band: tuple[str, str] | None = None,
    line: float | None = None,
) -> None:
    """Marks, intervals and bands of a forest stand where its data say, and nothing where these are null.

    line: where the one of each panel is.
    """
    assert drawn is not None
    rows = pd.DataFrame(chart("c", "a", drawn).rows)
    for name, panel in zip(rows["panel"].drop_duplicates(), panels_of(drawn), strict=True):
        own, marks = rows[rows["panel"] == name], panel["symbol"]
        # of extra marks, those of the last layer
        marks = [mark for mark in marks if mark.layer == marks[-1].layer]
        assert len(marks) == len(own)
        factor, shift = scale_of(
            [*own[value], *([] if line is None else [line])],
            [*(mark.x for mark in marks), *([] if line is None else [panel["rule"][0].x])],
        )
        assert factor > 0
        up = pd.Series([mark.y for mark in marks], own.index)
        rules = [rule for rule in panel["rule"] if rule.y == rule.y2]
        for ends, bars in ((interval, rules), (band, panel["rect"])):
            if ends is None:
                continue
            known = own.dropna(subset=list(ends))
            places = [sorted((bar.x, bar.x2)) for bar in bars]
            expected = [[factor * end + shift for end in pair] for pair in known[list(ends)].to_numpy()]
            assert places == [pytest.approx(pair, abs=0.01) for pair in expected]
            assert [(bar.y + bar.y2) / 2 for bar in bars] == pytest.approx(up[known.index].tolist())
