"""The report, of any sections: one self-contained HTML page, its last section (where numbers come from), and
a screenful of text for a terminal."""

import base64
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from textwrap import fill
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from tabulate import tabulate

from unmask import LIBRARY, workflow_root
from unmask.files import read_facts
from unmask.report import charts
from unmask.report.presenting import METHOD, App, Block, Chart, Code, Facts, Fold, Section, Text, arranged
from unmask.report.tables import Sheet
from unmask.report.wording import DASH
from unmask.tables import read_metadata
from unmask.terms import LICENCE

LONG = 40
"""A table of more rows scrolls in a box of its own."""

PROSE = 40
"""A cell of more letters is a text and goes over several lines."""

BROAD = 90
"""Letters across an upright page of paper: a broader table has a page that is turned."""


def render_page(title: str, sections: Sequence[Section], study: str = "study", source: str = "Unmask") -> str:
    """The whole HTML page as text; it asks for nothing outside itself.

    study: its name, with which names of saved files begin; source: what made the page, with the version.
    Sections that have nothing to show are left out. The page's heading is the answer of the first section
    that has one, below the title of the study.
    Raises FileNotFoundError for a program that is not there.
    """
    visible = arranged(sections)
    environment = Environment(
        loader=PackageLoader("unmask.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # no spaces, which are a tenth of a page
    environment.policies["json.dumps_kwargs"] = {"sort_keys": True, "separators": (",", ":")}
    numbers = Counter[str]()

    def numbered(section: Section, kind: str) -> str:
        """The id of the next figure of a kind in a section."""
        numbers[f"{section.name}-{kind}"] += 1
        return f"{section.name}-{kind}-{numbers[f'{section.name}-{kind}']}"

    def with_title(chart: Chart, titles: Sequence[str]) -> dict[str, Any]:
        """A chart with the title that it has where it leaves the page; titles: of what it is in."""
        return chart.spec | {"saved": charts.title_of(chart.spec, titles, chart.caption, study, source)}

    blocks = [block for section in visible for block in section.every_block()]
    charted = any(isinstance(block, Chart) for block in blocks)
    # each program once, however many parts of the page it runs
    apps = dict.fromkeys(block.program for block in blocks if isinstance(block, App))
    programs = [
        *([charts.program()] if charted else []),
        _text("report/page.js"),
        *(_text(f"{name}.js") for name in apps),
    ]
    return environment.get_template("page.html.jinja").render(
        title=title,
        study=study,
        source=source,
        description=_description(title, visible),
        answer=next((section.title for section in visible if section.title), ""),
        sections=visible,
        is_broad=is_broad,
        numbered=numbered,
        LONG=LONG,
        PROSE=PROSE,
        with_title=with_title,
        style=Markup(charts.style_sheet() + _text("report/page.css")),
        styles=[Markup(_text(f"{name}.css")) for name in apps],
        themes=Markup(charts.themes()) if charted else "",
        programs=[Markup(program) for program in programs],
        policy=content_policy(programs),
    )


def is_broad(sheet: Sheet) -> bool:
    """Whether a table is broader than an upright page of paper, its longest cells in one line."""
    longest = (max(map(len, cells)) for cells in zip(*sheet.rows, strict=True))
    return sum(min(each, PROSE) + 1 for each in longest) > BROAD


def content_policy(programs: Sequence[str]) -> str:
    """A content security policy: a page may ask for nothing, and runs these programs and no other."""
    digests = [base64.b64encode(hashlib.sha256(program.encode()).digest()).decode() for program in programs]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    # charts have styles in their elements; saving a chart makes an image of it
    rules = (
        "default-src 'none'",
        f"script-src {allowed}",
        "style-src 'unsafe-inline'",
        "img-src data: blob:",
    )
    return "; ".join((*rules, "base-uri 'none'", "form-action 'none'"))


def _description(title: str, sections: Sequence[Section]) -> str:
    """A sentence for those who have a link to the page and not the page: what is found first."""
    texts = (text for each in sections for text in (*(text for _, text in each.answers), *each.sentences))
    return next(texts, title)


def _text(name: str) -> str:
    """The text of a program or a style sheet, which are this project's own."""
    return (LIBRARY / name).read_text(encoding="utf-8")


# the summary for a terminal

WIDTH = 80
"""Characters of a line."""

MOST_ROWS = 24
"""Of a table; more are in the report."""

MOST_SENTENCES = 5


def render_summary(title: str, sections: Sequence[Section]) -> str:
    """What the sections say, in lines of WIDTH characters at most.

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


# where numbers come from

Lines = Sequence[tuple[str, str]]
"""Nested facts as lines: keys joined by dots, and the value as text."""

HEADING, LABEL = "Method, data and citation", "Method, data"

MESSAGE = "If you use Unmask, please cite it, and the papers whose measures you report."


def provenance(settings: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]) -> Section:
    """What the study's settings and every entry say, the licences of its data, and how to cite.

    An entry has a title; files, Parquet with facts in its metadata or JSON; keys, which of the facts are
    shown, empty for all; and may have `within`: then each value of that mapping of a file's facts counts as a
    file's facts; and `stated`: facts that the study states and no file has, which come first. An entry of
    several files has one value where all agree, else all of them.
    """
    folds: list[Fold] = []
    for entry in entries:
        facts = [facts for path in entry["files"] for facts in _facts(path, entry.get("within"))]
        lines = agreed([list(flatten(_chosen(one, entry["keys"]))) for one in facts])
        stated = flatten(entry.get("stated", {}))
        folds.append(Fold(entry["title"], (Facts((*stated, *lines)),)))
    blocks: list[Block] = [Fold("Settings", (Facts(tuple(flatten(settings))),))]
    if folds:
        blocks.append(Fold("Inputs, code and versions", tuple(folds)))
    stated_licences = [(each["title"], each.get("stated", {}).get(LICENCE)) for each in entries]
    if licences := tuple((title, licence) for title, licence in stated_licences if licence):
        blocks.append(Fold("Licences of the data that is quoted", (Facts(licences),)))
    entry_of_unmask, papers = citations()
    blocks += [Text(MESSAGE), Code(entry_of_unmask), Fold("The papers", (Code(papers),))]
    return Section(METHOD, HEADING, (), tuple(blocks), label=LABEL)


def citations() -> tuple[str, str]:
    """The entry of Unmask in CITATION.bib, and those of the papers."""
    entry, _, papers = (workflow_root() / "CITATION.bib").read_text(encoding="utf-8").partition("\n\n")
    return f"{entry}\n", papers


def _facts(path: str | Path, within: str | None) -> list[Mapping[str, Any]]:
    facts = read_metadata(path) if Path(path).suffix == ".parquet" else read_facts(path)
    return [facts] if within is None else list(facts[within].values())


def _chosen(facts: Mapping[str, Any], keys: Sequence[str]) -> Mapping[str, Any]:
    return {key: facts[key] for key in keys if key in facts} if keys else facts


def agreed(facts: Sequence[Lines]) -> Lines:
    """The lines of several facts as those of one: where they differ, all values of a key, in sorted order.

    Where some have no value, these do not count.
    """
    if len(facts) == 1:
        return facts[0]
    values: dict[str, set[str]] = {}
    for lines in facts:
        for key, value in lines:
            values.setdefault(key, set()).add(value)
    return [(key, ", ".join(sorted(values - {DASH}) or [DASH])) for key, values in values.items()]


def flatten(facts: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Nested facts as lines: (keys joined by dots, value as text)."""
    if isinstance(facts, Mapping):
        for key, value in facts.items():
            yield from flatten(value, f"{path}.{key}" if path else str(key))
    elif isinstance(facts, list) and any(isinstance(item, Mapping | list) for item in facts):
        for index, item in enumerate(facts):
            name = item.get("name", index) if isinstance(item, Mapping) else index
            yield from flatten(item, f"{path}.{name}" if path else str(name))
    elif isinstance(facts, list):
        yield path, ", ".join(map(str, facts))
    else:
        yield path, DASH if facts is None else str(facts)
