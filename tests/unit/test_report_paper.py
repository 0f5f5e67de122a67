"""The size of tables on paper."""

import pytest

from library import PROSE, SMALL, USUAL, Sheet, on_paper


def of(columns: int, cell: str) -> Sheet:
    return Sheet("c", ("model",), (("", "x"),) * columns, (("m", *(cell,) * columns),) * 2)


def test_the_broader_a_table_the_smaller_and_the_broadest_are_turned() -> None:
    assert on_paper(Sheet("nothing", (), (), ())) == on_paper(of(3, "12.3")) == (USUAL, False, True)
    sizes = [on_paper(of(columns, "12.3")) for columns in range(1, 60)]
    points, turned, _ = zip(*sizes, strict=True)
    first = turned.index(True)
    assert all(turned[first:]) and SMALL <= points[first - 1] < USUAL
    # turning makes room
    assert points[first] > points[first - 1]
    for part in (points[:first], points[first:]):
        assert list(part) == sorted(part, reverse=True)


@pytest.mark.parametrize(
    ("cell", "like"),
    [("planted-crows-pairs", "planted-"), ("word " * PROSE, "m" * 18)],
)
def test_a_cell_is_as_broad_as_what_stands_in_one_line(cell: str, like: str) -> None:
    assert on_paper(of(12, cell))[:2] == on_paper(of(12, like))[:2] != on_paper(of(12, f"mm{like}"))[:2]


def test_an_interval_is_in_one_line_as_long_as_it_can_be_read() -> None:
    score = "56.1 (53.0 to 59.2)"
    assert on_paper(of(5, score)) == on_paper(of(5, "m" * len(score)))
    sizes = [on_paper(of(columns, score)) for columns in range(1, 20)]
    assert {whole for *_, whole in sizes} == {True, False}
    assert all(points >= SMALL for points, *_ in sizes)
    # then it goes over several lines, as words do
    points, turned, whole = on_paper(of(12, score))
    assert not whole and (points, turned) == on_paper(of(12, "(53.0"))[:2]
