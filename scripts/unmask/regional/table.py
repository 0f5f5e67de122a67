"""Regions that a user lists: a CSV file with a row for each."""

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.errors import InputError
from unmask.files import sha256_of_file
from unmask.regional.schema import REGIONS
from unmask.regional.wording import fault_in
from unmask.tables import framed
from unmask.user_tables import Column, Row, Table, text_without

_NAME = text_without(fault_in)
COLUMNS = (
    Column("name", _NAME, required=True, label=True),
    Column("parent"),
    Column("level", _NAME, required=True, label=True),
    Column("id", _NAME, required=True, optional=True, key=True, label=True),
    Column("country_code", int, optional=True, least=1, most=999),
    Column("population", int, optional=True, least=0, most=10**12),
)


@dataclass(eq=False)
class _Region:
    row: Row
    # as the table has it, or made of names
    id: str = ""
    children: list["_Region"] = field(default_factory=list)

    @property
    def name(self) -> str:
        return str(self.row["name"])

    def __str__(self) -> str:
        return f"{self.name!r} ({self.row.place})"


def read_region_table(path: str | Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """A user's regions as a REGIONS table, and what is to be said of its source.

    Columns name, parent (empty for the region that all others lie in) and level; if wanted id, country_code
    (ISO 3166-1 numeric) and population. Parents are named by id where the table has ids, else by name.
    Without ids a region's is its name or, if others have that too, its name and its parent's. Regions stand
    generation by generation, as near to the file's order as that allows.

    Raises InputError naming the file and row of what is no table of regions or no tree.
    """
    path = Path(path)
    regions = [_Region(row) for row in Table(COLUMNS, others=False).rows(path)]
    _check_codes(regions)
    root = _linked(path, regions)
    _check_levels(path, regions, root)
    rows = [
        {"region": each.id, "parent": parent}
        | {name: each.row[name] for name in ("name", "level", "country_code", "population")}
        for each, parent in _generations(root)
    ]
    return framed(rows, REGIONS), {"source": path.name, "sha256": sha256_of_file(path)}


def _linked(path: Path, regions: Sequence[_Region]) -> _Region:
    """The root, every region in its parent's children."""
    key = "name" if regions[0].row["id"] is None else "id"
    by_key: dict[str, list[_Region]] = defaultdict(list)
    for region in regions:
        by_key[region.row[key]].append(region)
    roots = [region for region in regions if region.row["parent"] is None]
    for region in regions:
        parent = region.row["parent"]
        parents = by_key.get(parent, [])
        if parent is not None and not parents:
            raise region.row.fault("parent", f"{parent!r} is no {key} of a region here")
        if len(parents) > 1:
            several = f"is the name of several regions: {_listed(parents)}; give the table a column id"
            raise region.row.fault("parent", f"{parent!r} {several}")
        for each in parents:
            each.children.append(region)
    if len(roots) > 1:
        raise InputError(
            f"{path}: several regions without a parent: {_listed(roots)}; all but one must lie in another"
        )
    for region in regions:
        region.id = region.row[key]
    if key == "name":
        _name_by_names(by_key)
    reached = {region for region, _ in _generations(roots[0])} if roots else set()
    if lost := [region for region in regions if region not in reached]:
        beginning = "" if roots else "no region without a parent, in which all others lie; "
        raise InputError(f"{path}: {beginning}{_cycle(lost[0], by_key)}")
    if len(regions) == 1:
        raise InputError(f"{path}: only one region in it, which leaves nothing to compare")
    return roots[0]


def _check_codes(regions: Sequence[_Region]) -> None:
    first: dict[int, _Region] = {}
    for region in regions:
        code = region.row["country_code"]
        if code is not None and first.setdefault(code, region) is not region:
            why = "it is for the country, and for none of its regions"
            raise region.row.fault("country_code", f"{code} is that of {first[code]} already; {why}")


def _name_by_names(by_name: Mapping[str, Sequence[_Region]]) -> None:
    """Give regions of a table without ids some that do not depend on the order of rows."""
    taken: dict[str, _Region] = {}
    for name, several in by_name.items():
        for region in several:
            parent = region.row["parent"]
            region.id = name if len(several) == 1 else f"{name}, {parent}"
            other = taken.setdefault(region.id, region)
            if other is region:
                continue
            if other.name == name:
                raise region.row.fault("name", f"{name!r} is in {parent!r} already ({other.row.place})")
            raise region.row.fault(
                "name", f"{name!r} in {parent!r} cannot be told from {other}; give the table a column id"
            )


def _cycle(lost: _Region, by_key: Mapping[str, Sequence[_Region]]) -> str:
    """In words, the cycle that one comes to from a region that does not lie in the root."""
    places: dict[_Region, int] = {}
    region = lost
    while region not in places:
        places[region] = len(places)
        region = by_key[region.row["parent"]][0]
    around = list(places)[places[region] :]
    return f"regions lie in each other: {' in '.join(map(str, [*around, region]))}"


def _check_levels(path: Path, regions: Sequence[_Region], root: _Region) -> None:
    """Levels have an order, in which some regions may pass one over."""
    # a dictionary keeps its order, so that the same fault is told in the same words
    above: dict[str, dict[str, None]] = {region.row["level"]: {} for region in regions}
    for region, _ in _generations(root):
        for child in region.children:
            if child.row["level"] == region.row["level"]:
                raise child.row.fault("level", f"{region.row['level']!r} is that of its parent too")
            above[child.row["level"]][region.row["level"]] = None
    try:
        TopologicalSorter(above).prepare()
    except CycleError as error:
        levels = " above ".join(map(repr, error.args[1]))
        raise InputError(f"{path}: levels lie above each other: {levels}") from None


def _generations(root: _Region) -> Iterator[tuple[_Region, str | None]]:
    """Every region with its parent's id, after it."""
    waiting: deque[tuple[_Region, str | None]] = deque([(root, None)])
    while waiting:
        region, parent = waiting.popleft()
        yield region, parent
        waiting.extend((child, region.id) for child in region.children)


def _listed(regions: Sequence[_Region]) -> str:
    names = ", ".join(map(str, regions[:3]))
    return f"{names} and {len(regions) - 3} more" if len(regions) > 3 else names
