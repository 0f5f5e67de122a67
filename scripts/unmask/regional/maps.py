"""Maps of countries: Figures 1 and 4 of the paper."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd

from unmask.report.panels import SharedData, Tips, only, panels, records, tooltips

OBJECT = "countries"
"""What countries are called in the file of borders."""

ANTARCTICA = "010"
"""Its code: it has no cities, and would take much of the map."""

CENTRE = 11
"""Longitude of the middle of the map, in degrees; its edge then lies in Bering Strait and cuts no land."""

CORNERS = [[CENTRE - 180 + 1e-6, 0], [CENTRE + 180 - 1e-6, 0], [CENTRE, 84], [CENTRE, -57]]
"""What the map shows: longitude and latitude, in degrees, of what lies farthest to each side."""

WIDTH, ASPECT = 470, 0.45
"""Pixels of a map, where the page has no reason for another width, and its height as a share of that."""

FIFTHS = ("lowest fifth", "second", "middle", "fourth", "highest fifth")
"""Countries by their numbers, as many of each."""

KNOWN, BLANK = "known", "no number"


@dataclass(frozen=True)
class Borders:
    """lands: shape (id among the borders), code (ISO 3166-1 numeric, null where it has none) and country (its
    name); topojson: the shapes by id, as text."""

    lands: pd.DataFrame
    topojson: str


def read_borders(path: str | Path) -> Borders:
    """The countries of a TopoJSON file with an object `countries`, without Antarctica."""
    topology: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    shapes = [each for each in topology["objects"][OBJECT]["geometries"] if each.get("id") != ANTARCTICA]
    lands = pd.DataFrame([(n, each.get("id"), each["properties"]["name"]) for n, each in enumerate(shapes)])
    lands.columns = pd.Index(["shape", "code", "country"])
    drawn = [{"type": each["type"], "arcs": each["arcs"], "id": n} for n, each in enumerate(shapes)]
    topology["objects"] = {OBJECT: {"type": "GeometryCollection", "geometries": drawn}}
    lands["code"] = pd.to_numeric(lands["code"]).astype("Int64")
    return Borders(lands, json.dumps(topology, separators=(",", ":")))


def fifths(numbers: "pd.Series[float]") -> "pd.Series[str]":
    """Which of FIFTHS each number is in; equal ones are in the same."""
    # the middle of the ranks of those that equal it
    shares = (numbers.rank() - 0.5) / len(numbers)
    return (shares * len(FIFTHS)).astype(int).clip(upper=len(FIFTHS) - 1).map(dict(enumerate(FIFTHS)))


def country_map(
    borders: Borders, frame: pd.DataFrame, value: str, title: str, tips: Tips
) -> alt.FacetChart | None:
    """Countries coloured by the fifth of their number, a map for each panel; None where no country has one.

    frame: with the columns panel, code, country and `value`, and others that `tips` name. title: of the
    colours.
    """
    if frame.empty:
        return None
    frame = frame.assign(fifth=frame.groupby("panel")[value].transform(fifths))
    lands = borders.lands.merge(frame[["panel"]].drop_duplicates(), how="cross")
    rows = lands.merge(frame, how="left", on=["panel", "code"], suffixes=("", "_named"))
    rows["country"] = rows.pop("country_named").fillna(rows["country"])
    rows["drawn"] = rows[value].notna().map({True: KNOWN, False: BLANK})
    if not (rows["drawn"] == KNOWN).any():
        return None
    colour = alt.Color(
        "fifth:N",
        title=title,
        scale=alt.Scale(domain=list(FIFTHS), range="heatmap"),
        legend=alt.Legend(symbolType="square"),
    )
    geo = alt.Shape("geo", type="geojson")
    blank, known = (alt.Chart().transform_filter(only("drawn", each)) for each in (BLANK, KNOWN))
    layers = [
        blank.mark_geoshape(style="no-score").encode(
            shape=geo, tooltip=tooltips([("country", "country"), ("drawn", "what is known")])
        ),
        known.mark_geoshape(style="country").encode(
            shape=geo, color=colour, tooltip=tooltips([("panel", "model"), ("country", "country"), *tips])
        ),
    ]
    fit: Mapping[str, Any] = {
        "type": "Feature",
        "properties": {},
        "geometry": {"type": "MultiPoint", "coordinates": CORNERS},
    }
    laid = [layer.project("equalEarth", rotate=[-CENTRE, 0, 0], fit=fit) for layer in layers]
    shapes = SharedData(
        name="borders", values=borders.topojson, format=alt.TopoDataFormat(type="topojson", feature=OBJECT)
    )
    size: dict[str, Any] = {"width": WIDTH, "height": round(ASPECT * WIDTH), "aspect": ASPECT}
    return panels(laid, records(rows), 2, margin=0, **size).transform_lookup(
        lookup="shape", from_=alt.LookupData(shapes, key="id"), as_="geo"
    )
