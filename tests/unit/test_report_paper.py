"""The size of tables on paper."""

import pytest

from unmask.report.paper import PROSE, SMALL, USUAL, on_paper
from unmask.report.sheets import Sheet


def of(columns: int, cell: str) -> Sheet:
    return Sheet("c", ("model",), (("", "x"),) * columns, (("m", *(cell,) * columns),) * 2)


def test_the_broader_a_table_the_smaller_and_the_broadest_are_turned() -> None:
    assert on_paper(Sheet("nothing", (), (), ())) == on_paper(of(3, "12.3")) == (USUAL, False)
    sizes = [on_paper(of(columns, "12.3")) for columns in range(1, 60)]
    points, turned = zip(*sizes, strict=True)
    first = turned.index(True)
    assert all(turned[first:]) and SMALL <= points[first - 1] < USUAL
    # turning makes room
    assert points[first] > points[first - 1]
    for part in (points[:first], points[first:]):
        assert list(part) == sorted(part, reverse=True)


@pytest.mark.parametrize(
    ("cell", "like"),
    [("56.1 (53.0 to 59.2)", "(53.0"), ("planted-crows-pairs", "planted-"), ("word " * PROSE, "m" * 18)],
)
def test_a_cell_is_as_broad_as_what_stands_in_one_line(cell: str, like: str) -> None:
    assert on_paper(of(12, cell)) == on_paper(of(12, like)) != on_paper(of(12, f"mm{like}"))
