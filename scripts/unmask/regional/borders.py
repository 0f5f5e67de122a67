"""Borders of countries, as maps in a browser take them."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unmask.errors import InputError
from unmask.user_files import read_text
from unmask.user_tables import Column, Table

OBJECT = "countries"
"""What countries are called in the file, and in what is made of it."""

LEFT_OUT = (10,)
"""Codes of land that is not on the map: Antarctica has no cities, and would take much of the room."""


@dataclass(frozen=True)
class Land:
    """shape: its id among the borders; code: ISO 3166-1 numeric, None where it has none."""

    shape: int
    code: int | None
    name: str


@dataclass(frozen=True)
class Atlas:
    """Countries as a map has them.

    lands: those with a shape; places: longitude and latitude, in degrees, of those that are too small for
    one, by code; borders: the shapes by id, as the text of a TopoJSON file.
    """

    lands: tuple[Land, ...]
    places: Mapping[int, tuple[float, float]]
    borders: str

    @classmethod
    def read(cls, borders: str | Path, places: str | Path) -> "Atlas":
        """Raises InputError where a file is not what it should be."""
        lands, text = read_borders(borders)
        there = {land.code for land in lands}
        small = {code: place for code, place in read_places(places).items() if code not in there}
        return cls(lands, small, text)

    def drawn(self, code: int) -> bool:
        """Whether it has a country of this code."""
        return code in self.places or any(land.code == code for land in self.lands)


def read_borders(path: str | Path) -> tuple[tuple[Land, ...], str]:
    """The countries of a TopoJSON file with an object `countries`, and their borders as TopoJSON: ids are
    those of Land, and nothing is there that no map here draws.

    Raises InputError where the file holds something else.
    """
    text = read_text(path)
    try:
        topology = json.loads(text)
        entries = [
            entry for entry in topology["objects"][OBJECT]["geometries"] if _code(entry) not in LEFT_OUT
        ]
        lands = [
            Land(number, _code(entry), str(entry["properties"]["name"]))
            for number, entry in enumerate(entries)
        ]
        shapes = [
            {"type": entry["type"], "id": land.shape, "arcs": entry["arcs"]}
            for land, entry in zip(lands, entries, strict=True)
        ]
        used = {number for entry in entries for number in _arcs(entry)}
        lines = [arc if number in used else [] for number, arc in enumerate(topology["arcs"])]
        if not all(lines[number] for number in used):
            raise ValueError("a border without a line")
        borders = {
            "type": "Topology",
            "transform": {key: topology["transform"][key] for key in ("scale", "translate")},
            "objects": {OBJECT: {"type": "GeometryCollection", "geometries": shapes}},
            # shapes name arcs by their places, so that those of others leave a gap
            "arcs": lines,
        }
    except (ValueError, TypeError, KeyError, IndexError) as error:
        raise InputError(f"{path}: not the borders of countries as TopoJSON ({error!r})") from None
    return tuple(lands), json.dumps(borders, separators=(",", ":"))


def _code(entry: Mapping[str, Any]) -> int | None:
    return int(entry["id"]) if "id" in entry else None


def _arcs(entry: Mapping[str, Any]) -> Iterable[int]:
    """The places of its arcs; ~n is arc n backwards."""
    polygons = {"Polygon": [entry["arcs"]], "MultiPolygon": entry["arcs"]}[entry["type"]]
    return [n if n >= 0 else ~n for polygon in polygons for ring in polygon for n in ring]


def read_places(path: str | Path) -> dict[int, tuple[float, float]]:
    """Longitude and latitude of countries too small for the borders, by code.

    path: a CSV file with the columns country_code, longitude and latitude. Raises InputError naming the file
    and the row.
    """
    rows = Table(_PLACES).rows(path)
    return {row["country_code"]: (row["longitude"], row["latitude"]) for row in rows}


_PLACES = (
    Column("country_code", int, required=True, key=True, least=1, most=999),
    Column("longitude", float, required=True, least=-180, most=180),
    Column("latitude", float, required=True, least=-90, most=90),
)
