"""The report in a screenful of text, for a terminal or a mail."""

from collections.abc import Iterator, Sequence
from textwrap import fill

from tabulate import tabulate

from unmask.report.sections import Section
from unmask.report.sheets import Sheet

WIDTH = 80
"""Characters of a line."""

MOST_ROWS = 24
"""Of a table; more are in the report."""

MOST_SENTENCES = 5


def render_summary(title: str, sections: Sequence[Section]) -> str:
    """What the sections found, in lines of WIDTH characters at most.

    The study's title; the answer with its sentences, of the section that has one, or else the first finding
    of each section; then the headline of each section that has one, as a table.
    """
    return "\n\n".join([fill(_one_line(title), WIDTH), *_parts(sections)]) + "\n"


def _parts(sections: Sequence[Section]) -> Iterator[str]:
    leading = next((section for section in sections if section.title), None)
    if leading:
        yield fill(_one_line(leading.title), WIDTH)
        yield fill(" ".join(map(_one_line, leading.sentences[:MOST_SENTENCES])), WIDTH)
    else:
        # a section may ask before it tells
        found = (
            (section.heading, next((text for text in section.sentences if not text.endswith("?")), None))
            for section in sections
        )
        told = [f"{heading}: {text}" for heading, text in found if text]
        for text in told[:MOST_SENTENCES]:
            yield fill(_one_line(text), WIDTH, subsequent_indent="    ")
    for section in sections:
        if section.headline and section.headline.rows:
            yield f"{fill(_one_line(section.headline.caption), WIDTH)}\n\n{_table(section.headline)}"


def _table(sheet: Sheet) -> str:
    """A table, in several parts one below the other where it has too many columns for a line."""
    rows = [[_one_line(cell) for cell in row] for row in sheet.rows[:MOST_ROWS]]
    heads = [_one_line(head) for head in (*sheet.stubs, *(label for _, label in sheet.columns))]
    stubs = len(sheet.stubs)
    parts, chosen = [], list(range(stubs))
    for column in range(stubs, len(heads)):
        if len(chosen) > stubs and _is_broad(_drawn(heads, rows, [*chosen, column])):
            parts.append(chosen)
            chosen = list(range(stubs))
        chosen = [*chosen, column]
    texts = [_drawn(heads, rows, each) for each in [*parts, chosen]]
    more = len(sheet.rows) - len(rows)
    return "\n\n".join(texts) + (f"\n... and {more} more rows" if more else "")


def _drawn(heads: Sequence[str], rows: Sequence[Sequence[str]], columns: Sequence[int]) -> str:
    # a cell is text, whatever it looks like
    return tabulate(
        [[row[column] for column in columns] for row in rows],
        [heads[column] for column in columns],
        "simple",
        disable_numparse=True,
    )


def _is_broad(text: str) -> bool:
    return max(map(len, text.splitlines())) > WIDTH


def _one_line(text: str) -> str:
    """Without what moves a cursor or changes colours."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
