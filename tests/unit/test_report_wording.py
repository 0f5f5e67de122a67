"""Lists, plurals and spans in sentences."""

import numpy as np
import pandas as pd
import pytest

from library import listed, many, span
from library import report_findings_records as records


@pytest.mark.parametrize(
    ("names", "most", "text"),
    [
        ([], None, "none"),
        (["a"], None, "a"),
        (["a", "b", "c"], None, "a, b and c"),
        (["a", "b", "c", "d"], 2, "a, b and 2 more"),
        (["a", "b"], 2, "a and b"),
    ],
)
def test_lists_end_with_and(names: list[str], most: int | None, text: str) -> None:
    assert listed(names, most) == text


def test_plurals_go_with_counts_of_any_kind() -> None:
    assert [many(count, "is", "are") for count in (0, 1, np.int64(1), 2, [], ["a"])] == [
        "are", "is", "is", "are", "are", "is",
    ]  # fmt: skip


def test_a_span_of_equal_numbers_is_one() -> None:
    assert span(0.101, 0.102) == "0.10"
    assert span(-0.1, 0.2, 1, signed=True) == "\N{MINUS SIGN}0.1 to +0.2"


def test_null_is_none_for_templates() -> None:
    assert records(pd.DataFrame({"p": [0.5, np.nan], "why": ["x", None]})) == [
        {"p": 0.5, "why": "x"},
        {"p": None, "why": None},
    ]
