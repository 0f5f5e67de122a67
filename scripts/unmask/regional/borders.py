"""Borders of countries, decoded from TopoJSON and laid flat."""

import csv
import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from unmask.errors import InputError
from unmask.user_files import faults_of, read_text

Points = npt.NDArray[np.float64]
"""(n, 2): longitude and latitude in degrees, or x and y on the map."""

CENTRE = 11.0
"""Longitude of the middle of the map, in degrees; its edge then lies in Bering Strait and cuts no land."""

LATITUDES = (-58.0, 84.0)
"""What the map shows, in degrees."""


STEP = 3.0
"""Degrees."""


@dataclass(frozen=True)
class Country:
    """code: ISO 3166-1 numeric, None where it has none; rings: closed lines, outer ones and holes."""

    code: int | None
    name: str
    rings: tuple[Points, ...]


def read_borders(path: str | Path) -> list[Country]:
    """The countries of a TopoJSON file with an object `countries`.

    Raises InputError where the file holds something else.
    """
    text = read_text(path)
    try:
        topology = json.loads(text)
        arcs = _decoded(topology)
        return [_country(entry, arcs) for entry in topology["objects"]["countries"]["geometries"]]
    except (ValueError, TypeError, KeyError, IndexError) as error:
        raise InputError(f"{path}: not the borders of countries as TopoJSON ({error!r})") from None


def _decoded(topology: Mapping[str, Any]) -> list[Points]:
    """The arcs, from steps of whole numbers to degrees."""
    scale, shift = (np.array(topology["transform"][key], dtype=float) for key in ("scale", "translate"))
    return [np.cumsum(np.array(arc, dtype=float), axis=0) * scale + shift for arc in topology["arcs"]]


def _country(entry: Mapping[str, Any], arcs: Sequence[Points]) -> Country:
    polygons = {"Polygon": [entry["arcs"]], "MultiPolygon": entry["arcs"]}[entry["type"]]
    name = str(entry["properties"]["name"])
    code = int(entry["id"]) if "id" in entry else None
    return Country(code, name, tuple(_ring(ring, arcs) for polygon in polygons for ring in polygon))


def _ring(numbers: Iterable[int], arcs: Sequence[Points]) -> Points:
    """The arcs of these numbers as one line; ~n is arc n backwards. Each begins where the one before ends."""
    parts = [arcs[n] if n >= 0 else arcs[~n][::-1] for n in numbers]
    return np.concatenate([parts[0], *(part[1:] for part in parts[1:])])


def read_places(path: str | Path) -> dict[int, tuple[float, float]]:
    """Longitude and latitude of countries too small for the borders, by code.

    path: a CSV file with the columns country_code, longitude and latitude. Raises InputError naming the file
    and the row.
    """
    places: dict[int, tuple[float, float]] = {}
    with faults_of(path), open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            try:
                places[int(row["country_code"])] = float(row["longitude"]), float(row["latitude"])
            except (KeyError, TypeError, ValueError):
                line = f"{path}: a row without a country's code, longitude or latitude: {row}"
                raise InputError(line) from None
    return places


def equal_earth(points: Points) -> Points:
    """The Equal Earth projection (Šavrič, Patterson and Jenny 2018), in which areas keep their size.

    points: longitudes from the middle of the map, and latitudes. Gives x and y for a globe of radius 1.
    """
    a1, a2, a3, a4 = 1.340264, -0.081106, 0.000893, 0.003796
    longitude, latitude = np.radians(points).T
    angle = np.arcsin(np.sqrt(3) / 2 * np.sin(latitude))
    square = angle**2
    sixth = square**3
    slope = a1 + 3 * a2 * square + sixth * (7 * a3 + 9 * a4 * square)
    x = 2 * np.sqrt(3) * longitude * np.cos(angle) / (3 * slope)
    y = angle * (a1 + a2 * square + sixth * (a3 + a4 * square))
    return np.column_stack([x, y])


def placed(longitude: float, latitude: float) -> tuple[float, float]:
    """Where a point lies on the map."""
    from_middle = (longitude - CENTRE + 180) % 360 - 180
    x, y = equal_earth(np.array([[from_middle, latitude]]))[0]
    return float(x), float(y)


def flat(ring: Points) -> list[Points]:
    """A ring of degrees as closed lines on the map, cut at its edges.

    Nothing of what lies beyond LATITUDES, nor of a ring around a pole, which has no inside on a map.
    """
    longitude = np.unwrap(ring[:, 0] - CENTRE, period=360)
    if abs(longitude[-1] - longitude[0]) > 180:
        return []
    shapes = []
    # as a ring that crosses the edge goes on beyond it, what is there comes back at the other one
    first, last = (int(np.floor((end + 180) / 360)) for end in (longitude.min(), longitude.max()))
    for turn in range(first, last + 1):
        cut = np.column_stack([longitude - 360 * turn, ring[:, 1]])
        for axis, sign, limit in ((0, 1, -180), (0, -1, -180), (1, 1, LATITUDES[0]), (1, -1, -LATITUDES[1])):
            cut = _kept(cut, axis, sign, limit)
        if len(cut) > 3:
            shapes.append(equal_earth(_in_steps(cut)))
    return shapes


def _kept(ring: Points, axis: int, sign: int, limit: float) -> Points:
    """The part of a closed ring with sign x coordinate >= limit, closed along that line (Sutherland and
    Hodgman)."""
    if not len(ring):
        return ring
    height = sign * ring[:, axis] - limit
    if (height >= 0).all():
        return ring
    kept: list[npt.NDArray[np.float64]] = []
    for place in range(len(ring) - 1):
        here, there = height[place], height[place + 1]
        if here >= 0:
            kept.append(ring[place])
        if (here >= 0) != (there >= 0):
            share = here / (here - there)
            kept.append(ring[place] + share * (ring[place + 1] - ring[place]))
    return np.array([*kept, kept[0]]) if kept else ring[:0]


def _in_steps(ring: Points) -> Points:
    """The same line with points no farther apart than STEP, as meridians are curves on the map."""
    parts = []
    for here, there in itertools.pairwise(ring):
        steps = max(1, int(np.ceil(np.abs(there - here).max() / STEP)))
        parts.append(here + (there - here) * (np.arange(steps) / steps)[:, None])
    return np.concatenate([*parts, ring[-1:]])


def outline() -> Points:
    """The edge of the map."""
    south, north = LATITUDES
    corners = [[180, south], [180, north], [-180, north], [-180, south], [180, south]]
    return equal_earth(_in_steps(np.array(corners, dtype=float)))
