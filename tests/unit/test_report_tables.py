"""Tables: how cells read, how rows and headings lie, and what is refused; in CSV, what a spreadsheet would
run as a formula is text, and numbers stay numbers."""

import csv
import io
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from library import DASH, MINUS, Captions, cell, csv_text, ends, fields, in_order, records, with_marks
from library import ReportColumn as Column
from library import ReportTable as Table

NAN = float("nan")


@pytest.mark.parametrize(
    ("template", "row", "text"),
    [
        ("{d:+.2f}{mark}", {"d": 0.456, "mark": "†"}, "+0.46†"),
        ("{d:+.2f}{mark}", {"d": NAN, "mark": "†"}, DASH),
        ("{d:.2f}", {"d": None}, DASH),
        ("{n}", {"n": pd.NA}, DASH),
        # of a whole number too, and never a negative zero
        ("{d:.1f}", {"d": 3}, "3.0"),
        ("{d:.2f}", {"d": -0.001}, "0.00"),
        ("{d:+.2f}", {"d": -0.001}, "0.00"),
        ("{d:+.2f}", {"d": 0.001}, "+0.00"),
        ("{d:.2f}", {"d": -0.01}, f"{MINUS}0.01"),
        ("{d:.{digits}f}", {"d": 1.2345, "digits": 3}, "1.234"),
        ("{p:p}", {"p": 0.0123}, "0.012"),
        ("{p:p}", {"p": 1e-20}, "< 1e-16"),
        ("{a} of {b}", {"a": 3, "b": 0}, "3 of 0"),
        ("{a} of {b}", {"a": 3, "b": None}, DASH),
        ("{a}[ of {b}]", {"a": 3, "b": 0}, "3 of 0"),
        ("{a}[ of {b}]", {"a": 3, "b": None}, "3"),
        ("{a}[ of {b}]", {"a": None, "b": 2}, DASH),
        ("[{a}][{b}]", {"a": None, "b": "why"}, "why"),
        ("[{a}][{b}]", {"a": None, "b": None}, DASH),
        ("{a:.1f}[~ ({b:.1f} to {c:.1f})]", {"a": 1.01, "b": 1.02, "c": 0.99}, "1.0"),
        ("{a:.1f}[~ ({b:.1f} to {c:.1f})]", {"a": 1.01, "b": 1.06, "c": 0.99}, "1.0 (1.1 to 1.0)"),
        ("{a:.1f}[~ ({b:.1f} to {c:.1f})]", {"a": 1.01, "b": None, "c": 0.99}, "1.0"),
        ("<{a:.1f}> (<{b:.0f} to {c:.0f}>)", {"a": 1, "b": 0, "c": 2}, "1.0 (0 to 2)"),
        ("<{a:.1f}> (<{b:.0f} to {c:.0f}>)", {"a": 1, "b": None, "c": 2}, f"1.0 ({DASH})"),
        ("<{a:.1f}> (<{b:.0f} to {c:.0f}>)", {"a": None, "b": None, "c": 2}, f"{DASH} ({DASH})"),
        # what a value has in it is no template
        ("{a}", {"a": "[{b}]"}, "[{b}]"),
    ],
)
def test_cells(template: str, row: dict[str, Any], text: str) -> None:
    assert cell(template, row) == text


def test_a_cell_of_an_unknown_column_is_a_defect_even_in_brackets() -> None:
    with pytest.raises(KeyError, match="b"):
        cell("{a}[ {b}]", {"a": 1})


def test_fields_of_templates_are_those_of_their_formats_too() -> None:
    assert fields("{a:.{digits}f}[~ ({b} to {c:+.2f})] plain") == {"a", "digits", "b", "c"}
    assert fields(ends("d", "+.1f")) == {"d_low", "d_high"}


SCORE = Column("score", "{score:.1f}")
N = Column("n", "{n}", "pairs")
FRAME = pd.DataFrame(
    {
        "model": ["a", "a", "b"],
        "size": [0.5, 0.5, 2.0],
        "measure": ["AUL", "CPS", "CPS"],
        "kind": ["x", "x", "y"],
        "score": [50.0, 61.25, NAN],
        "n": [7, 7, 8],
    }
)
PLAIN = Table("plain", ["model", "size:g"], [SCORE, N], heads={"size": "million weights"})


def test_without_values_across_each_row_is_a_row() -> None:
    sheet = PLAIN.sheet(FRAME, "Caption.")
    assert (sheet.caption, sheet.stubs) == ("Caption.", ("model", "million weights"))
    assert sheet.columns == (("", "score"), ("pairs", "n"))
    assert sheet.rows == (("a", "0.5", "50.0", "7"), ("a", "0.5", "61.2", "7"), ("b", "2", DASH, "8"))


def test_where_there_is_nothing_the_caption_says_so() -> None:
    captions = Captions({"plain": "Of {n} models."}, {"n": "2"})
    assert PLAIN.captioned(FRAME, captions).caption == "Of 2 models."
    sheet = PLAIN.captioned(FRAME[:0], captions)
    assert sheet.caption == "Of 2 models. Nothing in this study has what this table needs."
    assert sheet.stubs == ("model", "million weights")
    assert sheet.columns == sheet.rows == ()


ACROSS = Table("across", ["model", "n"], [SCORE], across=["measure"])


def test_values_across_are_groups_or_labels() -> None:
    sheet = ACROSS.sheet(FRAME)
    assert sheet.stubs == ("model", "n") and sheet.columns == (("AUL", "score"), ("CPS", "score"))
    assert sheet.rows == (("a", "7", "50.0", "61.2"), ("b", "8", DASH, DASH))
    turned = replace(ACROSS, label_first=True).sheet(FRAME)
    assert turned.columns == (("score", "AUL"), ("score", "CPS")) and turned.rows == sheet.rows


def test_two_values_across_are_group_and_label_with_groups_side_by_side() -> None:
    frame = pd.concat([FRAME, FRAME[:1].assign(measure="SSS", model="c")])
    sheet = Table("two", ["model"], [SCORE], across=["kind", "measure"]).sheet(frame)
    assert sheet.columns == (("x", "AUL"), ("x", "CPS"), ("x", "SSS"), ("y", "CPS"))
    assert [row[0] for row in sheet.rows] == ["a", "b", "c"]


def test_lines_stand_one_below_the_other_and_unknown_ones_are_left_out() -> None:
    table = Table("lines", ["model"], [SCORE, replace(N, group="")], across=["measure"], lines=True)
    sheet = table.sheet(FRAME)
    assert sheet.stubs == ("model", "line") and sheet.columns == (("", "AUL"), ("", "CPS"))
    assert sheet.rows == (("a", "score", "50.0", "61.2"), ("a", "n", "7", "7"), ("b", "n", DASH, "8"))
    unknown = table.sheet(FRAME.assign(n=None))
    assert unknown.rows[-1] == ("b", "score", DASH, DASH)


@pytest.mark.parametrize("table", [PLAIN, ACROSS])
@pytest.mark.parametrize("rows", [3, 0])
def test_a_missing_column_is_an_error_even_without_rows(table: Table, rows: int) -> None:
    with pytest.raises(ValueError, match=f"table {table.name}: the frame has no column n, score"):
        table.sheet(FRAME[:rows].drop(columns=["n", "score"]))


def test_two_rows_that_meet_in_a_cell_are_an_error() -> None:
    twice = pd.concat([FRAME, FRAME[:1]])
    with pytest.raises(ValueError, match="table across: two rows for a 7 AUL score"):
        ACROSS.sheet(twice)


def test_marks_are_of_p_below_the_level() -> None:
    frame = pd.DataFrame({"p": [0.001, 0.04, 0.05, None], "p_holm": [0.01, 0.08, 0.1, None], "p_two": 1.0})
    assert with_marks(frame, 0.05)["mark"].tolist() == ["†", "*", "", ""]
    assert with_marks(frame, 0.05, "p_two")["mark"].tolist() == ["†", "", "", ""]
    assert with_marks(frame[:0], 0.05)["mark"].tolist() == []


def test_rows_are_put_in_order_and_equals_stay() -> None:
    frame = pd.DataFrame({"a": ["x", "y", "x", "y"], "b": [2, 1, 1, 1], "c": range(4)})
    assert in_order(frame, a=["y", "x"], b=[1, 2])["c"].tolist() == [1, 3, 2, 0]


def test_records_are_as_json_has_them() -> None:
    values = [1, 2.5, float("nan"), None, pd.NA, np.float64(0.5), np.int64(3), np.bool_(True), "a"]
    frame = pd.DataFrame({"mixed": pd.Series(values, dtype=object), "n": pd.array([1, *[None] * 8], "Int32")})
    made = records(frame)
    assert [row["mixed"] for row in made] == [1, 2.5, None, None, None, 0.5, 3, True, "a"]
    assert json.loads(json.dumps(made)) == made and [row["n"] for row in made] == [1, *[None] * 8]


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
