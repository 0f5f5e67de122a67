"""The chart of changes: what is drawn where, read off the drawing."""

from dataclasses import replace

import pytest

from drawn_marks import panels_of, scale_of, texts_of
from unmask.report.changes_chart import Change, Scale, changes_chart

NAN = float("nan")
LESS = Change("bert on cp", "AUL", "cda", "bert-cda", 80.0, 60.0, -25.0, -15.0, 0.01)
MORE = Change("bert on cp", "CPS", "cda", "bert-cda", 70.0, 75.0, -1.0, 11.0, 0.4)
OTHER = replace(LESS, kind="at", model="bert-at", after=81.0, low=-3.0, high=5.0)
ELSEWHERE = replace(MORE, panel="bert on ss", before=55.0, after=52.0, low=NAN, high=NAN, p_holm=NAN)
SCALE = Scale("of 100 pairs", no_bias=50, decimals=1)


def test_numbers_before_and_after_are_where_the_axis_says() -> None:
    changes = [LESS, MORE, OTHER, ELSEWHERE]
    drawn = changes_chart(changes, SCALE)
    assert drawn is not None
    first, second = panels_of(drawn)
    assert (first.title, second.title) == (("bert on cp",), ("bert on ss",))
    marks, own = first.of("symbol"), changes[:3]
    factor, shift = scale_of([change.after for change in own], [mark.x for mark in marks])
    assert factor > 0
    ticks = first.of("rect")
    assert [tick.x + 1 for tick in ticks] == pytest.approx([factor * c.before + shift for c in own])
    none, *intervals = first.of("rule")
    assert none.x == pytest.approx(50 * factor + shift) and none.y == 0
    # laid at what was before
    ends = [(factor * (c.before + c.low) + shift, factor * (c.before + c.high) + shift) for c in own]
    assert [(line.x, line.x2) for line in intervals] == [pytest.approx(pair) for pair in ends]
    # each in the line of its mark, those of one measure in one row
    assert [line.y for line in intervals] == pytest.approx([mark.y for mark in marks])
    assert [tick.y + (tick.y2 - tick.y) / 2 for tick in ticks] == pytest.approx([mark.y for mark in marks])
    rows = [mark.y for mark in marks]
    assert rows[0] < rows[2] < rows[1]
    # what has no interval has a line without length, under its tick
    (mark,) = second.of("symbol")
    assert mark.x == pytest.approx(52 * factor + shift)
    _, line = second.of("rule")
    assert line.x == line.x2 == pytest.approx(55 * factor + shift)
    assert {"AUL", "CPS", "cda", "at", "of 100 pairs"} <= set(texts_of(drawn))


def test_panels_of_different_numbers_have_a_scale_each() -> None:
    own = replace(ELSEWHERE, panel="other", before=0.5, after=0.25, low=-0.3, high=-0.2)
    drawn = changes_chart([LESS, MORE, own], Scale("bias in use", no_bias=0, decimals=3, own=True))
    assert drawn is not None
    first, second = panels_of(drawn)
    factor, shift = scale_of([60.0, 75.0], [mark.x for mark in first.of("symbol")])
    assert first.of("rule")[0].x == pytest.approx(shift)
    (mark,), (tick,) = second.of("symbol"), second.of("rect")
    none = second.of("rule")[0].x
    assert mark.x - none == pytest.approx((tick.x + 1 - none) / 2)
    assert mark.x - none > 10 * factor * own.after


def test_rows_have_the_change_and_null_for_what_is_not_known() -> None:
    drawn = changes_chart([LESS, ELSEWHERE], SCALE)
    assert drawn is not None
    one, other = drawn.to_dict()["datasets"].popitem()[1]
    assert one["change"] == -20 and (one["low"], one["high"], one["p_holm"]) == (-25, -15, 0.01)
    assert other["change"] == -3 and other["low"] is other["high"] is other["p_holm"] is None


def test_nothing_is_drawn_of_nothing() -> None:
    assert changes_chart([], SCALE) is None
