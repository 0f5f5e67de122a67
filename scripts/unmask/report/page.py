"""The report: one self-contained HTML page of any sections."""

import itertools
import re
from collections.abc import Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from unmask.report.sections import Picture, Section, kind_of

LONG = 40
"""A table of more rows scrolls in a box of its own."""


def render_page(title: str, sections: Sequence[Section]) -> str:
    """The whole HTML page as text; it refers to nothing outside itself.

    Sections stand in their order; those that have nothing to show are left out.
    Raises ValueError where two sections have one name.
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

    return environment.get_template("page.html.jinja").render(
        title=title, sections=shown, kind_of=kind_of, inline=inline, LONG=LONG
    )


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
