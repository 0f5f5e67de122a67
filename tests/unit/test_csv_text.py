"""Tables as CSV: what a spreadsheet would run as a formula is text, and numbers stay numbers."""

import csv
import io

import pandas as pd
import pytest

from library import csv_text

FORMULAS = ['=HYPERLINK("http://x")', "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1"]


def read_back(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("formula", FORMULAS)
def test_formulas_stand_behind_an_apostrophe(formula: str) -> None:
    rows = read_back(csv_text(pd.DataFrame({"group": [formula, "plain"], formula: [1, 2]})))
    assert rows == [["group", f"'{formula}"], [f"'{formula}", "1"], ["plain", "2"]]


def test_numbers_are_untouched_whatever_their_sign() -> None:
    texts = ["-0.5", "+3", "-1e-5", "-.5", "1", "", "a=b", "\N{EN DASH}"]
    frame = pd.DataFrame({"text": texts, "number": [-0.25 * n for n in range(len(texts))]})
    assert csv_text(frame) == frame.to_csv(index=False)


def test_nothing_is_nothing_and_types_do_not_change() -> None:
    frame = pd.DataFrame({"n": pd.array([1, None], "Int32"), "w": ["=x", None], "b": [True, False]})
    assert csv_text(frame) == "n,w,b\n1,'=x,True\n,,False\n"


def test_categories_and_equal_column_names() -> None:
    frame = pd.DataFrame([["=a", "=b"], ["c", "=b"]], columns=["x", "x"])
    assert csv_text(frame) == "x,x\n'=a,'=b\nc,'=b\n"
    assert csv_text(frame.iloc[:, :1].astype("category")) == "x\n'=a\nc\n"
