"""Charts: Vega-Lite documents, as Altair makes them; in the house's colours on the page and as files."""

import json
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import vl_convert

from unmask.errors import InputError
from unmask.files import write_text, written_whole
from unmask.report.captions import with_parts_of
from unmask.report.colours import COLOURS, MODES, RANGES
from unmask.report.sections import Chart

if TYPE_CHECKING:
    import altair

    Drawn = altair.FacetChart | altair.LayerChart | altair.Chart

Titles = Callable[[dict[str, Any]], dict[str, Any]]
"""What makes the title of a Vega-Lite document, as that has it."""

VEGA_LITE = "6.4"
"""The Vega-Lite that draws, on the page and into files."""

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""Of charts in files: vl-convert brings the first, so that text is measured alike on any machine; the next
two, which other programs have, are as wide."""

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


def chart(caption: str, alt: str, drawn: "Drawn") -> Chart:
    """A chart of Altair's as a block of the report. Its data is one list of rows, as `altair.InlineData`.

    Parts of the caption, or of the alternative text, stand where it has what they speak of
    (unmask.report.captions). Raises ValueError where it has other data.
    """
    spec = _spec(drawn)
    rows = spec["data"]["values"]
    return Chart(with_parts_of(caption, rows), with_parts_of(alt, rows), spec)


def save_chart(drawn: "Drawn", svg: str | Path, png: str | Path, title: Titles | None = None) -> None:
    """Write a chart as SVG and PNG on a light ground; the same chart gives the same bytes.

    title: what makes another title of the Vega-Lite document.
    Raises ValueError as `chart` does.
    """
    look: dict[str, Any] = {
        "vl_version": VEGA_LITE,
        "config": theme("light", FONT),
        # no data is fetched: a chart has its own
        "allowed_base_urls": [],
    }
    spec = _spec(drawn)
    if title:
        spec["title"] = title(spec)
    picture = vl_convert.vegalite_to_svg(spec, **look)
    write_text(svg, picture)
    with written_whole(png) as partial:
        # from the SVG: compiling the chart once more would give the same bytes
        partial.write_bytes(vl_convert.svg_to_png(picture, scale=2))


def _spec(drawn: "Drawn") -> dict[str, Any]:
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
