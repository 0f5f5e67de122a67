"""How large a table is printed: broad ones are smaller, and the broadest have a page that is turned."""

import re

from unmask.report.sheets import Sheet

UPRIGHT, TURNED = 530.0, 735.0
"""Points across a page of A4 or of US letter, within margins; turned, too."""

USUAL, SMALL = 8.5, 6.5
"""Points of text: of most tables, and the least that is read with ease."""

_LETTER, _COLUMN = 0.68, 0.85
"""Of the size of text: a letter on average, and what a column has beside its letters."""

PROSE = 40
"""A cell of more letters is a text and goes over several lines."""

_TEXT = 18
"""Letters across a cell that is a text."""

_BREAK = re.compile(r"\s+|(?<=-)(?=\w)")
"""Where browsers may break a line."""

_NUMBER = re.compile(r"[<>≥≤~*†(\s]*[+\-−]?\d")
"""How a number begins, with an interval or without."""


def on_paper(sheet: Sheet) -> tuple[float, bool, bool]:
    """The size of a table's text in points, whether its page is turned, and whether a number and its interval
    stay in one line: they do where that leaves text that is read with ease."""
    for whole in (True, False):
        across = _across(sheet, whole)
        if across * SMALL <= UPRIGHT:
            return round(min(USUAL, UPRIGHT / across), 1), False, whole
        if across * SMALL <= TURNED:
            break
    return round(min(USUAL, TURNED / across), 1), True, whole


def _across(sheet: Sheet, whole: bool) -> float:
    """How broad a table is, in sizes of its text."""
    heads = [*sheet.stubs, *(label for _, label in sheet.columns)]
    columns = list(zip(*sheet.rows, strict=True)) or [()] * len(heads)
    letters = 0
    for place, (head, cells) in enumerate(zip(heads, columns, strict=True)):
        lines = place < len(sheet.stubs) or not whole
        letters += max(_longest(head, True), *(_longest(cell, lines or is_words(cell)) for cell in cells), 0)
    return max(1, _LETTER * letters + _COLUMN * len(heads))


def is_words(cell: str) -> bool:
    """Whether a cell may go over several lines on paper: a number and its interval stay in one."""
    return len(cell) > PROSE or (len(cell) > _TEXT and not _NUMBER.match(cell))


def _longest(cell: str, breaks: bool) -> int:
    """Letters of the longest part of a cell that is in one line."""
    parts = _BREAK.split(cell) if breaks else [cell]
    return max(_TEXT if len(cell) > PROSE else 0, *map(len, parts))
