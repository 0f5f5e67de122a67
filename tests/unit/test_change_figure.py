"""The figure of changes: what is drawn, and that panels of one number can be compared."""

from unmask.report.change_figure import Change, Panel, draw_changes

NOTHING = "Nothing was changed."


def test_panels_of_one_number_have_one_scale_with_no_change_on_it() -> None:
    panels = [
        Panel("one", "points", (Change("bert", "cda", 2.0, 1.0, 3.0),)),
        Panel("two", "points", (Change("bert", "cda", 20.0, 10.0, 40.0), Change("roberta", "cda", 5.0))),
        Panel("empty", "points", ()),
        Panel("three", "gap", (Change("bert", "at", -0.2, -0.3, -0.1),)),
    ]
    one, two, three = draw_changes(panels, NOTHING).axes[:3]
    assert [axes.get_title() for axes in (one, two, three)] == ["one", "two", "three"]
    assert one.get_xlim() == two.get_xlim() != three.get_xlim()
    for axes, low, high in ((two, 0, 40), (three, -0.3, 0)):
        left, right = axes.get_xlim()
        assert low - 0.1 * (high - low) < left < low and high < right < high + 0.1 * (high - low)
    # a line of no change, an interval and a mark for each change
    assert [len(axes.lines) for axes in (one, two, three)] == [3, 4, 3]


def test_what_has_no_change_is_said() -> None:
    figure = draw_changes([Panel("empty", "points", ())], NOTHING)
    assert [text.get_text() for text in figure.texts] == [NOTHING]


def test_a_change_of_nothing_is_drawn() -> None:
    (axes,) = draw_changes([Panel("one", "points", (Change("bert", "cda", 0.0),))], NOTHING).axes
    left, right = axes.get_xlim()
    assert left < 0 < right
