"""The report: one self-contained HTML page."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from unmask.report import page_sheets
from unmask.report.frequency import FrequencySection
from unmask.report.results import Results
from unmask.report.sheets import DASH
from unmask.report.summary import summary, warnings


def render_page(
    title: str,
    results: Results,
    figures: Mapping[str, str],
    provenance: Sequence[tuple[str, Mapping[str, Any]]] = (),
    planted: pd.DataFrame | None = None,
    frequency: FrequencySection | None = None,
) -> str:
    """The whole HTML page as text; it refers to nothing outside itself.

    title: name of the study. figures: SVG text of `figure1` and `bias_figure`. provenance: (title, nested
    facts) of each input. planted: unmask.report.truth.gather_truth, None where nothing is planted.
    frequency: None where the study has no corpora.
    """
    environment = Environment(
        loader=PackageLoader("unmask.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.jinja").render(
        title=title,
        summary=list(summary(results)),
        warnings=list(warnings(results)),
        main=page_sheets.main(results),
        tables=list(results.sheets().values()),
        figures=_inline(figures),
        captions=results.captions,
        groups=page_sheets.bias_types(results),
        directions=page_sheets.directions(results),
        shuffled=page_sheets.shuffled(results),
        near_ties=page_sheets.near_ties(results),
        agreement=page_sheets.agreement(results),
        tests=page_sheets.tests(results),
        decisions=page_sheets.decisions(results),
        readings=page_sheets.accuracies(results),
        peers=page_sheets.peers(results),
        planted=list(page_sheets.planted(results, planted)),
        frequency=frequency,
        frequency_figures=_inline(frequency.figures if frequency else {}),
        provenance=[(name, list(flatten(facts))) for name, facts in provenance],
    )


def _inline(figures: Mapping[str, str]) -> dict[str, Markup]:
    return {name: Markup(inline_svg(svg, name)) for name, svg in figures.items()}


def inline_svg(svg: str, prefix: str) -> str:
    """An SVG document as an element of a page, without prolog, fixed size and metadata.

    Its ids begin with `prefix`, so that several may stand in one page.
    """
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', body)
    body = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", body)
    body = re.sub(r'href="#([^"]+)"', rf'href="#{prefix}-\1"', body)
    head, rest = body.split(">", 1)
    head = re.sub(r'\s(?:width|height)="[^"]*"', "", head)
    return f"{head}>{rest}"


def flatten(facts: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Nested facts as lines: (keys joined by dots, value as text)."""
    if isinstance(facts, Mapping):
        for key, value in facts.items():
            yield from flatten(value, f"{path}.{key}" if path else str(key))
    elif isinstance(facts, list) and any(isinstance(item, Mapping | list) for item in facts):
        for index, item in enumerate(facts):
            own = item.get("name", index) if isinstance(item, Mapping) else index
            yield from flatten(item, f"{path}.{own}" if path else str(own))
    elif isinstance(facts, list):
        yield path, ", ".join(map(str, facts))
    else:
        yield path, DASH if facts is None else str(facts)
