"""Charts: Vega-Lite documents, as Altair makes them; in the house's colours on the page and as files."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import vl_convert

from unmask.atomic import written_whole
from unmask.files import write_text
from unmask.report.sections import Chart

if TYPE_CHECKING:
    import altair

    Drawn = altair.FacetChart | altair.LayerChart | altair.Chart

VEGA_LITE = "6.4"
"""The Vega-Lite that draws, on the page and into files."""

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""Of charts in files: vl-convert brings the first, so that text is measured alike on any machine; the next
two, which other programs have, are as wide."""

LICENCE = (
    "/*! Vega, Vega-Lite and Vega-Embed, (c) University of Washington Interactive Data Lab, BSD 3-Clause */\n"
)

_COLOURS: Mapping[str, Mapping[str, Any]] = {
    "light": {
        "text": "#1c1c1e",
        "faint": "#5c5c63",
        "line": "#e2e2e6",
        "back": "#ffffff",
        "band": "#d3d3d9",
        "dark band": "#8b8b94",
        "steps": ["#767676", "#0072B2", "#D55E00", "#8a8a8a", "#AA4499", "#555555"],
        "category": ["#0072B2", "#D55E00", "#009E73", "#AA4499", "#555555", "#8a8a8a", "#000000"],
        "ramp": ["#5A8CBC", "#0072B2", "#00243A"],
        "heatmap": ["#DCE9A0", "#93CDA0", "#48A6B0", "#2A74A9", "#25347A"],
        "diverging": ["#0072B2", "#D8D2C0", "#D55E00"],
    },
    "dark": {
        "text": "#e8e8ea",
        "faint": "#a9aab2",
        "line": "#34363c",
        "back": "#17181b",
        "band": "#484a52",
        "dark band": "#8b8d97",
        "steps": ["#a0a2ab", "#56B4E9", "#F58B4C", "#8a8c95", "#E08FCB", "#B5B7C0"],
        "category": ["#56B4E9", "#F58B4C", "#2FC59A", "#E08FCB", "#B5B7C0", "#8a8c95", "#F2F2F2"],
        "ramp": ["#3B74A3", "#56B4E9", "#E4F2FC"],
        "heatmap": ["#31418C", "#2F72A8", "#45A3AE", "#93CDA0", "#F0F5C4"],
        "diverging": ["#56B4E9", "#55524A", "#F58B4C"],
    },
}


def theme(mode: str, font: str = "sans-serif") -> dict[str, Any]:
    """The configuration of charts on a light or dark ground (mode `light` or `dark`).

    A chart names no colour: it has the ranges `category`, `ordinal` (steps from nothing to the most), `ramp`
    and `heatmap` (numbers as colours of marks and, in five steps, of areas), `diverging` (below, nothing,
    above), and the styles `single` (marks of one kind), `neutral` (a line of no effect), `wanted` (a line
    that is aimed at), `chance`, `untrained`, `reported`, `exact` (what is known without a model), `truth` (of
    what was made), `figure` (a number as text) and `cell` (what is below one), and of maps `country`,
    `no-score` and `beyond` (what is drawn around those beyond chance), and `outlined` (marks with a border).
    """
    colours = _COLOURS[mode]
    return {
        "background": colours["back"],
        "font": font,
        # the figure says what it shows; a screen reader need not go from mark to mark
        "aria": False,
        "range": {
            "category": colours["category"],
            "ordinal": colours["steps"],
            **{name: colours[name] for name in ("ramp", "heatmap", "diverging")},
        },
        "axis": {
            "domain": False,
            "ticks": False,
            "gridColor": colours["line"],
            "labelColor": colours["text"],
            "labelFontSize": 11,
            "labelPadding": 5,
            "titleColor": colours["faint"],
            "titleFontSize": 11,
            "titleFontWeight": "normal",
        },
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
            "labelColor": colours["text"],
            "labelFontSize": 11,
            "titleColor": colours["faint"],
            "titleFontSize": 11,
            "titleFontWeight": "normal",
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
        "view": {"stroke": colours["line"]},
        "style": {
            "neutral": {"color": colours["text"], "strokeWidth": 1},
            # seen where it has no width
            "chance": {"color": colours["band"], "stroke": colours["band"], "strokeWidth": 3},
            "untrained": {"color": colours["dark band"], "strokeWidth": 3},
            "reported": {"color": colours["text"], "strokeWidth": 1.3},
            "figure": {"color": colours["text"], "fill": colours["text"], "fontSize": 11},
            "cell": {"color": colours["category"][0]},
            "single": {"color": colours["category"][0]},
            "wanted": {"color": colours["faint"], "strokeDash": [2, 3]},
            "exact": {"color": colours["text"], "strokeWidth": 1.2},
            "country": {"stroke": colours["back"], "strokeWidth": 0.5},
            "no-score": {"color": colours["back"], "stroke": colours["dark band"], "strokeWidth": 0.5},
            "outlined": {"stroke": colours["text"]},
            # told from both ends of the heatmap
            "beyond": {"color": colours["category"][1], "strokeWidth": 1.4},
            "truth": {"color": colours["text"], "strokeWidth": 1.5, "strokeDash": [5, 3]},
        },
    }


def chart(caption: str, alt: str, drawn: "Drawn") -> Chart:
    """A chart of Altair's as a block of the report. Its data is one list of rows, as `altair.InlineData`.

    Raises ValueError where it has other data.
    """
    return Chart(caption, alt, _spec(drawn))


def save_chart(drawn: "Drawn", svg: str | Path, png: str | Path) -> None:
    """Write a chart as SVG and PNG on a light ground; the same chart gives the same bytes.

    Raises ValueError as `chart` does.
    """
    look: dict[str, Any] = {
        "vl_version": VEGA_LITE,
        "config": theme("light", FONT),
        # no data is fetched: a chart has its own
        "allowed_base_urls": [],
    }
    spec = _spec(drawn)
    write_text(svg, vl_convert.vegalite_to_svg(spec, **look))
    with written_whole(png) as partial:
        partial.write_bytes(vl_convert.vegalite_to_png(spec, scale=2, **look))


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
    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=VEGA_LITE)
    # what is inside a script element may not look like its end
    return LICENCE + bundle.replace("</script", r"<\/script")


def themes() -> str:
    """Both themes as JSON, for the page."""
    return json.dumps({mode: theme(mode) for mode in _COLOURS})
