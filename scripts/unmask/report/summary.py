"""The report in a screenful of text, for a terminal or a mail."""

from collections.abc import Iterator, Sequence
from itertools import groupby
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

    The study's title; the answer of the section that has one, with its answers to questions and its headline
    as a table; or else the first sentences of the first sections.
    """
    return "\n\n".join([_filled(title), *_parts(sections)]) + "\n"


def _parts(sections: Sequence[Section]) -> Iterator[str]:
    answer = next((section for section in sections if section.title), None)
    if answer is None:
        said = [(each.heading, each.sentences[0]) for each in sections if each.sentences]
        for heading, sentence in said[:MOST_SENTENCES]:
            yield _filled(f"{heading}: {sentence}", indent="    ")
        return
    yield _filled(answer.title)
    yield "\n".join(_filled(f"{question} {text}", indent="  ") for question, text in answer.answers)
    if answer.headline and answer.headline.rows:
        yield f"{_filled(answer.headline.caption)}\n\n{_table(answer.headline)}"


def _filled(text: str, indent: str = "") -> str:
    # the name of a model is not broken
    return fill(_one_line(text), WIDTH, subsequent_indent=indent, break_on_hyphens=False)


def _table(sheet: Sheet) -> str:
    """The rows below what their first cells say, once for those alike."""
    rows = [[_one_line(cell) for cell in row] for row in sheet.rows[:MOST_ROWS]]
    # a cell is text, whatever it looks like
    lines = iter(tabulate([row[1:] for row in rows], tablefmt="plain", disable_numparse=True).splitlines())
    shown: list[str] = []
    for first, alike in groupby(rows, key=lambda row: row[0]):
        shown += [first, *(f"  {next(lines)}" for _ in alike)]
    if (more := len(sheet.rows) - MOST_ROWS) > 0:
        shown.append(f"... and {more} more rows")
    return "\n".join(line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…" for line in shown)


def _one_line(text: str) -> str:
    """Without what moves a cursor or changes colours."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
