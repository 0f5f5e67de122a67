"""The report in a screenful of text, for a terminal or a mail."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from textwrap import fill

from tabulate import tabulate

from unmask.report.sections import Section
from unmask.report.sheets import Sheet

WIDTH = 100
"""Characters of a line of prose."""

MOST_ROWS = 24
"""Of a table; more are in the report."""


def render_summary(title: str, sections: Sequence[Section]) -> str:
    """What the sections found: their headlines as tables, the first finding of each that has one, then what
    to be wary of, and what sections close with."""
    return "\n\n".join([_one_line(title), *_parts(sections)]) + "\n"


def _parts(sections: Sequence[Section]) -> Iterator[str]:
    for section in sections:
        if section.headline and section.headline.rows:
            yield f"{fill(_one_line(section.headline.caption), WIDTH)}\n\n{_table(section.headline)}"
    for section in sections:
        # a section may ask before it tells
        first = next((text for text in section.sentences if not text.endswith("?")), None)
        if first and not section.closing:
            yield fill(_one_line(f"{section.heading}: {first}"), WIDTH, subsequent_indent="    ")
    cautions = [text for section in sections for text in section.cautions]
    if cautions:
        lines = (
            fill(_one_line(text), WIDTH, initial_indent="- ", subsequent_indent="  ") for text in cautions
        )
        yield "\n".join(["Read with care:", *lines])
    for section in sections:
        if section.closing:
            said = " ".join([section.heading, *section.closing])
            yield fill(_one_line(said), WIDTH, subsequent_indent="    ")


def _table(sheet: Sheet) -> str:
    head = replace(sheet, rows=sheet.rows[:MOST_ROWS])
    heads = [*head.stubs, *(label for _, label in head.columns)]
    # a cell is text, whatever it looks like
    rows = [[_one_line(cell) for cell in row] for row in head.rows]
    text = tabulate(rows, [_one_line(head) for head in heads], "simple", disable_numparse=True)
    more = len(sheet.rows) - len(head.rows)
    return f"{text}\n... and {more} more rows" if more else text


def _one_line(text: str) -> str:
    """Without what moves a cursor or changes colours."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
