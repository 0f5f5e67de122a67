"""The report: one self-contained HTML page of any sections."""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from unmask.report.sections import App, Block, Fold, Picture, Section, kind_of

LIBRARY = Path(__file__).resolve().parents[1]
"""Where programs are (unmask.report.sections.App)."""

LONG = 40
"""A table of more rows scrolls in a box of its own."""


def render_page(title: str, sections: Sequence[Section]) -> str:
    """The whole HTML page as text; it refers to nothing outside itself.

    Sections stand in their order; those that have nothing to show are left out.
    Raises ValueError where two sections have one name, and FileNotFoundError for a program that is not there.
    """
    shown = [section for section in sections if not section.is_empty()]
    names = [section.name for section in shown]
    if len(set(names)) < len(names):
        raise ValueError(f"two sections of one name among {', '.join(names)}")
    environment = Environment(
        loader=PackageLoader("unmask.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    numbers = itertools.count(1)

    def inline(picture: Picture) -> Markup:
        # an SVG alone is markup: jobs of this workflow drew it
        return Markup(inline_svg(picture.svg, f"picture-{next(numbers)}"))

    # each program once, however many parts of the page it runs
    programs = dict.fromkeys(app.program for section in shown for app in _apps(section.blocks))
    return environment.get_template("page.html.jinja").render(
        title=title,
        sections=shown,
        kind_of=kind_of,
        inline=inline,
        LONG=LONG,
        scripts=[_source(program, "js") for program in programs],
        styles=[_source(program, "css") for program in programs],
    )


def _apps(blocks: Iterable[Block]) -> Iterator[App]:
    for block in blocks:
        if isinstance(block, App):
            yield block
        elif isinstance(block, Fold):
            yield from _apps(block.blocks)


def _source(program: str, suffix: str) -> Markup:
    """The text of a program or its style sheet: markup, as it is this project's own."""
    return Markup((LIBRARY / f"{program}.{suffix}").read_text(encoding="utf-8"))


def inline_svg(svg: str, prefix: str) -> str:
    """An SVG document as an element of a page, without prolog, fixed size and metadata.

    Its ids begin with `prefix`, so that several may stand in one page.
    """
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    # in tags alone: text may look like anything
    body = re.sub("<[^>]*>", lambda tag: _with_own_ids(tag[0], prefix), body)
    head, rest = body.split(">", 1)
    head = re.sub(r'\s(?:width|height)="[^"]*"', "", head)
    return f"{head}>{rest}"


def _with_own_ids(tag: str, prefix: str) -> str:
    tag = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', tag)
    tag = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", tag)
    return re.sub(r'href="#([^"]+)"', rf'href="#{prefix}-\1"', tag)
