"""The chart of changes: what is drawn where, read off the drawing."""

from typing import Any

import altair as alt
import pandas as pd
import pytest

from drawn_marks import check_forest, panels_of, scale_of, texts_of
from library import CHART_COLUMNS, Axis, changes_chart, chart

NAN = float("nan")
LESS = dict(zip(CHART_COLUMNS, ("cp", "AUL", "cda", "bert-cda", 80.0, 60.0, -25.0, -15.0, 0.01), strict=True))
MORE = dict(zip(CHART_COLUMNS, ("cp", "CPS", "cda", "bert-cda", 70.0, 75.0, -1.0, 11.0, 0.4), strict=True))
OTHER = LESS | {"kind": "at", "model": "bert-at", "after": 81.0, "low": -3.0, "high": 5.0}
ELSEWHERE = MORE | {"panel": "ss", "before": 55.0, "after": 52.0, "low": NAN, "high": NAN, "p_holm": NAN}
AXIS = Axis("of 100 pairs", line=50)


def drawn_of(*changes: dict[str, Any], axis: Axis = AXIS) -> alt.FacetChart:
    drawing = changes_chart(pd.DataFrame(changes), axis)
    assert drawing is not None
    return drawing


def test_numbers_before_and_after_are_where_the_axis_says() -> None:
    drawing = drawn_of(LESS, MORE, OTHER, ELSEWHERE)
    rows = pd.DataFrame([LESS, MORE, OTHER])
    first, second = panels_of(drawing)
    assert (first.title, second.title) == (("cp",), ("ss",))
    marks, ticks = first.of("symbol"), first.of("rect")
    factor, shift = scale_of(rows["after"], [mark.x for mark in marks])
    assert [tick.x + 1 for tick in ticks] == pytest.approx((factor * rows["before"] + shift).tolist())
    assert [(tick.y + tick.y2) / 2 for tick in ticks] == pytest.approx([mark.y for mark in marks])
    # intervals are laid at what was before; those of one measure are in one row
    check_forest(drawing, "after", ("least", "most"), line=50)
    assert marks[0].y < marks[2].y < marks[1].y
    least, most = rows["before"] + rows["low"], rows["before"] + rows["high"]
    known = pd.DataFrame(chart("c", "a", drawing).rows)[["least", "most"]]
    assert known.head(3).to_numpy().tolist() == [list(ends) for ends in zip(least, most, strict=True)]
    # what has no interval has a tick and a mark alone, beside the line of no bias
    (mark,), (tick,) = second.of("symbol"), second.of("rect")
    assert (mark.x, tick.x + 1) == pytest.approx((52 * factor + shift, 55 * factor + shift))
    assert len(second.of("rule")) == 1
    assert {"AUL", "CPS", "cda", "at", "of 100 pairs"} <= set(texts_of(drawing))


def test_panels_of_different_numbers_have_a_scale_each() -> None:
    in_use = ELSEWHERE | {"panel": "other", "before": 0.5, "after": 0.25, "low": -0.3, "high": -0.2}
    first, second = panels_of(
        drawn_of(LESS, MORE, in_use, axis=Axis("extrinsic bias", line=0, independent=True))
    )
    factor, shift = scale_of([60.0, 75.0], [mark.x for mark in first.of("symbol")])
    assert first.of("rule")[0].x == pytest.approx(shift)
    (mark,), (tick,) = second.of("symbol"), second.of("rect")
    none = second.of("rule")[0].x
    assert mark.x - none == pytest.approx((tick.x + 1 - none) / 2)
    assert mark.x - none > 10 * factor * 0.25


def test_nothing_is_drawn_of_nothing() -> None:
    assert changes_chart(pd.DataFrame(columns=CHART_COLUMNS, dtype=float), AXIS) is None
