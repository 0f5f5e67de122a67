"""Charts: Vega-Lite documents, as Altair makes them, their colours, and titles where they leave the page.

One colour has one meaning on the whole page. Verdicts have theirs, and nothing else has these. Sides of a
pair, and series (models, protocols, groups and so on) have others.
"""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import vl_convert

from unmask import __version__
from unmask.errors import InputError
from unmask.files import write_text, written_whole
from unmask.report.wording import with_parts_of

if TYPE_CHECKING:
    import altair

    Drawn = altair.FacetChart | altair.LayerChart | altair.Chart

MODES = ("light", "dark")
"""Grounds; paper is light."""

COLOURS: Mapping[str, tuple[str, str]] = {
    "text": ("#1c1c1e", "#e8e8ea"),
    # captions
    "faint": ("#5c5c63", "#a9aab2"),
    # the ground, and one beside it
    "back": ("#ffffff", "#17181b"),
    "soft": ("#f3f3f5", "#24262b"),
    # between things, of charts and of buttons
    "line": ("#c9c9ce", "#45474e"),
    "grid": ("#e2e2e6", "#34363c"),
    "edge": ("#8a8a92", "#80838d"),
    "link": ("#0b5cad", "#7db7f5"),
    # the ground of a warning
    "warn": ("#fff4d6", "#3a3013"),
    # what chance, and what untrained networks give
    "band": ("#d3d3d9", "#484a52"),
    "dark-band": ("#8b8b94", "#8b8d97"),
    # what speaks for the stereotype, and for the antistereotype
    "for": ("#7B4BA8", "#B78AE0"),
    "against": ("#1B7F6B", "#4CC2A5"),
}
"""Colours on the grounds of MODES."""

RANGES: Mapping[str, Mapping[str, Sequence[str]]] = {
    "light": {
        "ordinal": ["#767676", "#0072B2", "#D55E00", "#8a8a8a", "#555555", "#1D9A1D", "#D9003F"],
        "category": ["#3B3F9E", "#2E8B57", "#8E2A5B", "#00838F", "#7B4A2D", "#C05AA8", "#000000"],
        "heatmap": ["#DCE9A0", "#93CDA0", "#48A6B0", "#2A74A9", "#25347A"],
    },
    "dark": {
        "ordinal": ["#a0a2ab", "#56B4E9", "#F58B4C", "#8a8c95", "#B5B7C0", "#5CE65C", "#FF4D7D"],
        "category": ["#9A9DF5", "#6CCB8E", "#E5809F", "#3FD6D0", "#D0A283", "#DDA0EE", "#F2F2F2"],
        "heatmap": ["#31418C", "#2F72A8", "#45A3AE", "#93CDA0", "#F0F5C4"],
    },
}
"""Ranges of charts: `ordinal`, what may be claimed (no clear preference, explainable, clear, cannot be told,
control), and what was found and missed; `category`, what has no verdict; `heatmap`, numbers as colours."""


def style_sheet() -> str:
    """The colours as custom properties for style sheets."""
    names = " ".join(f"--{name}: light-dark({light}, {dark});" for name, (light, dark) in COLOURS.items())
    on_paper = "@media print { :root { color-scheme: light; } }"
    return f":root {{ color-scheme: light dark; {names} }}\n{on_paper}\n"


VEGA_LITE = "6.4"
"""The Vega-Lite that draws, on the page and into files."""

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""Of charts in files: vl-convert brings the first, so that text is measured alike on any machine; the next
two, which other programs have, are as wide."""

NO_FIGURE = "Nothing in this study has what this figure needs."

LICENCE = (
    "/*! Vega, Vega-Lite and Vega-Embed, (c) University of Washington Interactive Data Lab, BSD 3-Clause */\n"
)


def theme(mode: str, font: str = "sans-serif") -> dict[str, Any]:
    """The configuration of charts on a light or dark ground (mode `light` or `dark`).

    A chart names no colour: it has the ranges `category` (series), `ordinal` (verdicts) and `heatmap`
    (numbers as colours of areas, in five steps), and the styles `single` (marks of one kind), `neutral` (a
    line of no effect), `chance`, `untrained`, `reported`, `truth` (of what was made), `outlined` (marks with
    a border), and of maps `country` and `no-score`.
    """
    colours = {name: of_modes[MODES.index(mode)] for name, of_modes in COLOURS.items()}
    labels = {"labelColor": colours["text"], "labelFontSize": 11}
    titles = {"titleColor": colours["faint"], "titleFontSize": 11, "titleFontWeight": "normal"}
    return {
        "background": colours["back"],
        "font": font,
        # the figure says what it shows; a screen reader need not go from mark to mark
        "aria": False,
        "range": RANGES[mode],
        "axis": {
            "domain": False,
            "ticks": False,
            "gridColor": colours["grid"],
            **labels,
            "labelPadding": 5,
            **titles,
        },
        # on a phone the page keeps numbers at the ends of a scale within their panel
        "axisX": {"labelFlush": False},
        # names beside panels
        "axisY": {"labelLimit": 190},
        "header": {
            "labelColor": colours["text"],
            "labelFontSize": 12,
            "labelFontWeight": "bold",
            "labelAnchor": "start",
            "titleColor": colours["faint"],
        },
        "legend": {
            "orient": "top",
            "layout": {"top": {"anchor": "start", "direction": "horizontal", "margin": 28}},
            "columns": 4,
            "labelLimit": 0,
            **labels,
            **titles,
        },
        # what a chart shows, above it
        "title": {
            "anchor": "start",
            "color": colours["text"],
            "fontSize": 12,
            "fontWeight": "normal",
            "subtitleColor": colours["faint"],
            "subtitleFontSize": 11,
            "offset": 8,
        },
        "view": {"stroke": colours["grid"]},
        "style": {
            "neutral": {"color": colours["text"], "strokeWidth": 1},
            # seen where it has no width
            "chance": {"color": colours["band"], "stroke": colours["band"], "strokeWidth": 3},
            "untrained": {"color": colours["dark-band"], "strokeWidth": 3},
            "reported": {"color": colours["text"], "strokeWidth": 1.3},
            "single": {"color": RANGES[mode]["category"][0]},
            "country": {"stroke": colours["back"], "strokeWidth": 0.5},
            "no-score": {"color": colours["back"], "stroke": colours["dark-band"], "strokeWidth": 0.5},
            "outlined": {"stroke": colours["text"]},
            "truth": {"color": colours["text"]},
        },
    }


def save_figure(drawn: "Drawn | None", caption: str, svg: str | Path, png: str | Path, study: str) -> None:
    """Write a chart as SVG and PNG on a light ground, with a title that says what it is and of which study;
    where there is none, a picture of words says so. The same chart gives the same bytes.

    Raises ValueError as `vega_lite` does.
    """
    spec: dict[str, Any] = {
        "data": {"values": [{"text": NO_FIGURE}]},
        "mark": {"type": "text", "style": "neutral"},
        "encoding": {"text": {"field": "text", "type": "nominal"}},
        "width": 560,
        "height": 60,
    }
    if drawn is not None:
        spec = vega_lite(drawn)
        spec["title"] = title_of(spec, (), caption, study, f"Unmask {__version__}")
    look: dict[str, Any] = {
        "vl_version": VEGA_LITE,
        "config": theme("light", FONT),
        # no data is fetched: a chart has its own
        "allowed_base_urls": [],
    }
    picture = vl_convert.vegalite_to_svg(spec, **look)
    write_text(svg, picture)
    with written_whole(png) as partial:
        # from the SVG: compiling the chart once more would give the same bytes
        partial.write_bytes(vl_convert.svg_to_png(picture, scale=2))


def vega_lite(drawn: "Drawn") -> dict[str, Any]:
    """A chart of Altair's as Vega-Lite. Raises ValueError where its data is not one list of rows in it, as
    `altair.InlineData`."""
    import altair.utils.schemapi as schemapi

    spec = drawn.to_dict(validate=schemapi.DEBUG_MODE)
    datasets = spec.pop("datasets", {})
    if len(datasets) != 1:
        raise ValueError("a chart has its rows in it, one list of them")
    # the page and the files say which Vega-Lite draws, and how it looks
    known = ("$schema", "config")
    (rows,) = datasets.values()
    return {key: spec[key] for key in spec if key not in known} | {"data": {"values": rows}}


@cache
def program() -> str:
    """JavaScript that draws charts in a browser: it sets `vegaEmbed`, and needs nothing else."""
    # beside compiled code, as it takes longer to make than the rest of a page
    made = Path(__file__).parent / "__pycache__" / f"vega-{VEGA_LITE}-{version('vl-convert-python')}.js"
    with suppress(OSError):
        return LICENCE + made.read_text(encoding="utf-8")
    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=VEGA_LITE)
    # what is inside a script element may not look like its end
    text = bundle.replace("</script", r"<\/script")
    with suppress(OSError, InputError):
        write_text(made, text)
    return LICENCE + text


def themes() -> str:
    """Both themes as JSON, for the page."""
    return json.dumps({mode: theme(mode) for mode in MODES})


BROAD = 60
"""Letters of a line at the most: as broad as a chart of one panel."""

_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")


def title_of(
    spec: Mapping[str, Any], heading: Sequence[str], caption: str, study: str, source: str
) -> dict[str, Any]:
    """The title of a chart as Vega-Lite has it, for a picture that is saved.

    spec: the chart, with its rows in it; heading: titles of what it is in, the outermost first, and where
    there is none the first sentence of its caption; study: its name; source: what made it, with the version.
    The text below the title is the caption, the unit, the number of pairs where rows have one (`pairs`),
    study and source.
    """
    rows: Sequence[Mapping[str, Any]] = spec["data"]["values"]
    text = with_parts_of(caption, rows)
    title, *rest = [": ".join(heading), text] if heading else _SENTENCE.split(text)
    unit: Mapping[str, Any] = spec.get("title", {})
    lines = [*_wrapped(" ".join(rest)), *([unit["text"], *unit.get("subtitle", [])] if unit else [])]
    pairs = [row["pairs"] for row in rows if isinstance(row.get("pairs"), int | float)]
    if pairs:
        few, many = min(pairs), max(pairs)
        lines.append(f"n = {many:g} pairs" if few == many else f"n = {few:g} to {many:g} pairs")
    lines.append(f"Study {study}. Source: {source}.")
    return {"text": _wrapped(title), "subtitle": lines, "fontWeight": "bold"}


def _wrapped(text: str) -> list[str]:
    """A text in lines that end between words."""
    return wrap(text, BROAD, break_long_words=False, break_on_hyphens=False)
