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

    The study's title; the answer with its sentences, of the section that has one, or else the findings of all
    sections, the first of each before second ones; then the headline of each section that has one, as a
    table; at the end what sections close with.
    """
    return "\n\n".join([_filled(title), *_parts(sections)]) + "\n"


def _parts(sections: Sequence[Section]) -> Iterator[str]:
    leading = next((section for section in sections if section.title and not section.closing), None)
    if leading:
        yield _filled(leading.title)
        if leading.sentences:
            yield "\n".join(map(_filled, leading.sentences[:MOST_SENTENCES]))
    else:
        for text in _findings([section for section in sections if not section.closing]):
            yield _filled(text, indent="    ")
    for section in sections:
        if section.headline and section.headline.rows:
            yield f"{_filled(section.headline.caption)}\n\n{_table(section.headline)}"
    for section in sections:
        if section.closing:
            # a question, or what the sentences are about
            heading = section.heading if section.heading.endswith("?") else f"{section.heading}:"
            yield _filled(" ".join([heading, *section.closing]))


def _findings(sections: Sequence[Section]) -> list[str]:
    """MOST_SENTENCES of their findings, in the order of the sections; no second one displaces a first."""
    ranked = [
        (rank, place, f"{section.heading}: {text}" if rank == 0 else text)
        for place, section in enumerate(sections)
        # a section may ask a question first
        for rank, text in enumerate(text for text in section.sentences if not text.endswith("?"))
    ]
    chosen = sorted(ranked)[:MOST_SENTENCES]
    return [text for _, _, text in sorted(chosen, key=lambda each: (each[1], each[0]))]


def _filled(text: str, indent: str = "") -> str:
    # the name of a model is not broken
    return fill(_one_line(text), WIDTH, subsequent_indent=indent, break_on_hyphens=False)


def _table(sheet: Sheet) -> str:
    """A table, in several parts one below the other where it has too many columns for a line."""
    heads = (*sheet.stubs, *(label for _, label in sheet.columns))
    lines = [heads, *sheet.rows[:MOST_ROWS]]
    columns = [[_one_line(cell) for cell in column] for column in zip(*lines, strict=True)]
    stubs, others = columns[: len(sheet.stubs)], columns[len(sheet.stubs) :]
    parts: list[list[list[str]]] = [[]]
    for column in others:
        across = sum(2 + max(map(len, each)) for each in (*stubs, *parts[-1], column))
        if parts[-1] and across - 2 > WIDTH:
            parts.append([])
        parts[-1].append(column)
    # a cell is text, whatever it looks like
    tables = (zip(*stubs, *part, strict=True) for part in parts)
    texts = [tabulate([*rows], tablefmt="plain", disable_numparse=True) for rows in tables]
    more = len(sheet.rows) - MOST_ROWS
    shown = "\n\n".join(texts).splitlines() + ([f"... and {more} more rows"] if more > 0 else [])
    return "\n".join(line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…" for line in shown)


def _one_line(text: str) -> str:
    """Without what moves a cursor or changes colours."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
