"""Maps of countries: Figures 1 and 4 of the paper, and of C_w."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.regional.borders import OBJECT, Atlas
from unmask.report.panels import Row, SharedData, Tips, only, panels, tooltips

CENTRE = 11
"""Longitude of the middle of the map, in degrees; its edge then lies in Bering Strait and cuts no land."""

CORNERS = [[CENTRE - 180 + 1e-6, 0], [CENTRE + 180 - 1e-6, 0], [CENTRE, 84], [CENTRE, -57]]
"""What the map shows: longitude and latitude, in degrees, of what lies farthest to each side."""

WIDTH, ASPECT = 470, 0.45
"""Pixels of a map, where the page has no reason for another width, and its height as a share of that."""

BELOW, WITHIN, BEYOND = "below its band", "within its band", "above its band"
POSITIONS = (BELOW, WITHIN, BEYOND)
"""Where a score lies."""

FIFTHS = ("lowest fifth", "second", "middle", "fourth", "highest fifth")
"""Countries by their numbers, as many of each."""

SHAPE, CIRCLE, BLANK = "shape", "circle", "no number"
"""How a country is drawn: as it is, as a circle where it is too small, and without a number."""


def position(
    scores: "pd.Series[float]", low: "pd.Series[float]", high: "pd.Series[float]"
) -> npt.NDArray[np.object_]:
    """Which of POSITIONS each score has between the ends of its band; None without a score or a band."""
    unknown = scores.isna() | low.isna() | high.isna()
    places: npt.NDArray[np.object_] = np.select(
        [unknown, scores < low, scores > high], [np.array(None), BELOW, BEYOND], WITHIN
    )
    return places


def fifths(numbers: "pd.Series[float]") -> "pd.Series[str]":
    """Which of FIFTHS each number is in; equal ones are in the same."""
    # the middle of the ranks of those that equal it
    shares = (numbers.rank() - 0.5) / len(numbers)
    return (shares * len(FIFTHS)).astype(int).clip(upper=len(FIFTHS) - 1).map(dict(enumerate(FIFTHS)))


def on_map(atlas: Atlas, known: Mapping[str, Mapping[int, Row]]) -> list[Row]:
    """A row for each country of a map.

    known: what is known of countries, by title of the map and by code; of others there is the name alone.
    """
    rows: list[Row] = []
    for title, countries in known.items():
        for land in atlas.lands:
            known_of = countries.get(land.code) if land.code is not None else None
            name: Row = {"panel": title, "country": land.name, "code": land.code, "shape": land.shape}
            rows.append(name | ({"drawn": SHAPE} | known_of if known_of else {"drawn": BLANK}))
        for code, (longitude, latitude) in atlas.places.items():
            if code in countries:
                place: Row = {"panel": title, "code": code, "longitude": longitude, "latitude": latitude}
                rows.append(place | {"drawn": CIRCLE} | countries[code])
    return rows


def of_values(atlas: Atlas, rows: Sequence[Row], title: str, tips: Tips) -> alt.FacetChart | None:
    """Countries coloured by their field `fifth`, those whose `position` is outside of its band with an
    outline. None, here and below, where no country has a number.

    rows: of `on_map`; title: of the colours; tips: beside the country.
    """
    return _map(atlas, rows, _colour("fifth", title, FIFTHS, "heatmap"), tips, outlined=True)


def of_positions(atlas: Atlas, rows: Sequence[Row], tips: Tips) -> alt.FacetChart | None:
    """Countries coloured by their `position`."""
    placed = [row for row in rows if row.get("position") or row["drawn"] == BLANK]
    return _map(atlas, placed, _colour("position", "score", POSITIONS, "diverging"), tips, outlined=False)


def _colour(field: str, title: str, names: Sequence[str], colours: Any) -> alt.Color:
    return alt.Color(
        f"{field}:N",
        title=title,
        scale=alt.Scale(domain=list(names), range=colours),
        legend=alt.Legend(symbolType="square"),
    )


def _map(
    atlas: Atlas,
    rows: Sequence[Row],
    colour: alt.Color,
    tips: Tips,
    outlined: bool,
) -> alt.FacetChart | None:
    if all(row["drawn"] == BLANK for row in rows):
        return None
    tooltip = tooltips([("panel", "model"), ("country", "country"), *tips])
    base, geo = alt.Chart(), alt.Shape("geo", type="geojson")
    blank, shapes, circles = (base.transform_filter(only("drawn", each)) for each in (BLANK, SHAPE, CIRCLE))
    small = {"longitude": "longitude:Q", "latitude": "latitude:Q"}
    layers = [
        blank.mark_geoshape(style="no-score").encode(
            shape=geo, tooltip=tooltips([("country", "country"), ("drawn", "what is known")])
        ),
        shapes.mark_geoshape(style="country").encode(shape=geo, color=colour, tooltip=tooltip),
    ]
    for where in (BELOW, BEYOND) if outlined else ():
        layers.append(
            shapes.transform_filter(only("position", where))
            .mark_geoshape(style="beyond", filled=False)
            .encode(shape=geo, tooltip=tooltip)
        )
    layers.append(
        circles.mark_circle(style="country", size=26, opacity=1).encode(
            color=colour, tooltip=tooltip, **small
        )
    )
    for where in (BELOW, BEYOND) if outlined else ():
        layers.append(
            circles.transform_filter(only("position", where))
            .mark_point(style="beyond", filled=False, size=26, opacity=1)
            .encode(tooltip=tooltip, **small)
        )
    corners = {"type": "MultiPoint", "coordinates": CORNERS}
    fit = {"type": "Feature", "properties": {}, "geometry": corners}
    laid = [layer.project("equalEarth", rotate=[-CENTRE, 0, 0], fit=fit) for layer in layers]
    borders = SharedData(
        name="borders", values=atlas.borders, format=alt.TopoDataFormat(type="topojson", feature=OBJECT)
    )
    height = round(ASPECT * WIDTH)
    return panels(laid, rows, 2, width=WIDTH, height=height, margin=0, aspect=ASPECT).transform_lookup(
        lookup="shape", from_=alt.LookupData(borders, key="id"), as_="geo"
    )
