"""Regions that a user lists: a CSV file with a row for each."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.benchmarks.delimited import read_delimited
from unmask.errors import InputError
from unmask.files import sha256_of_file
from unmask.labels import Labels
from unmask.regional.schema import REGIONS
from unmask.regional.wording import fault_in
from unmask.tables import framed

REQUIRED = ("name", "parent", "level")
OPTIONAL = ("id", "country_code", "population")

RANGES = {"country_code": (1, 999), "population": (0, 10**12)}


@dataclass(eq=False)
class _Region:
    place: str
    name: str
    parent: str
    level: str
    numbers: dict[str, int | None]
    # as the table has it, or made of names
    id: str = ""
    children: list["_Region"] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.name!r} ({self.place})"


def read_region_table(path: str | Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """A user's regions as a REGIONS table, and what is to be said of its source.

    Columns name, parent (empty for the region that all others lie in) and level; if wanted id, country_code
    (ISO 3166-1 numeric) and population. Parents are named by id where the table has ids, else by name.
    Without ids a region's is its name or, if others have that too, its name and its parent's. Regions stand
    generation by generation, as near to the file's order as that allows.

    Raises InputError naming the file and row of what is no table of regions or no tree.
    """
    path = Path(path)
    try:
        regions = list(_rows(path))
        named_by_id = bool(regions) and bool(regions[0].id)
        root = _grown(regions, named_by_id)
        _check_levels(regions, root)
    except _FaultError as fault:
        raise InputError(f"{path}: {fault}") from None
    rows = [
        {"region": each.id, "name": each.name, "level": each.level, "parent": parent, **each.numbers}
        for each, parent in _generations(root)
    ]
    facts = {"source": path.name, "sha256": sha256_of_file(path)}
    return framed(rows, REGIONS), facts


class _FaultError(Exception):
    pass


def _rows(path: Path) -> Iterator[_Region]:
    labels = {name: Labels() for name in ("id", "name", "level")}
    for place, fields in read_delimited(path):
        for name in REQUIRED:
            if name not in fields:
                raise _FaultError(f"no column {name!r} (columns: {', '.join(fields)})")
        for name in fields:
            if name not in REQUIRED + OPTIONAL:
                raise _FaultError(
                    f"column {name!r} is none of {', '.join(REQUIRED + OPTIONAL)}; leave it out"
                )
        for name, seen in labels.items():
            if name in fields:
                text = fields[name]
                fault = fault_in(text) or seen.check(text, place)
                if fault:
                    raise _FaultError(f"{place}: {name}: {fault}")
        yield _Region(
            place=place,
            name=fields["name"],
            parent=fields["parent"],
            level=fields["level"],
            numbers={name: _number(place, name, fields.get(name, "")) for name in RANGES},
            id=fields.get("id", ""),
        )


def _number(place: str, name: str, text: str) -> int | None:
    if not text:
        return None
    least, most = RANGES[name]
    if text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most:
        return int(text)
    raise _FaultError(f"{place}: {name}: {text!r} is no whole number from {least} to {most}")


def _grown(regions: Sequence[_Region], named_by_id: bool) -> _Region:
    """The root, every region in its parent's children."""
    if not regions:
        raise _FaultError("no regions in it")
    by_key: dict[str, list[_Region]] = defaultdict(list)
    for region in regions:
        by_key[region.id if named_by_id else region.name].append(region)
    if named_by_id:
        for key, several in by_key.items():
            if len(several) > 1:
                raise _FaultError(f"id {key!r} is that of several regions: {_listed(several)}")
    _check_codes(regions)

    roots = [region for region in regions if not region.parent]
    for region in regions:
        if region.parent:
            parents = by_key.get(region.parent, [])
            if not parents:
                raise _FaultError(
                    f"{region.place}: {region.name!r} lies in {region.parent!r}, which is no "
                    f"{'id' if named_by_id else 'name'} of a region here"
                )
            if len(parents) > 1:
                raise _FaultError(
                    f"{region.place}: {region.name!r} lies in {region.parent!r}, the name of several "
                    f"regions: {_listed(parents)}; give the table a column id"
                )
            parents[0].children.append(region)
    if len(roots) > 1:
        raise _FaultError(
            f"several regions without a parent: {_listed(roots)}; all but one must lie in another"
        )
    if not named_by_id:
        _name_by_names(by_key)
    reached = {region for region, _ in _generations(roots[0])} if roots else set()
    lost = [region for region in regions if region not in reached]
    if lost:
        beginning = "" if roots else "no region without a parent, in which all others lie; "
        raise _FaultError(f"{beginning}{_cycle(lost[0], by_key)}")
    if len(regions) == 1:
        raise _FaultError("only one region in it, which leaves nothing to compare")
    return roots[0]


def _check_codes(regions: Iterable[_Region]) -> None:
    first: dict[int, _Region] = {}
    for region in regions:
        code = region.numbers["country_code"]
        if code is not None and first.setdefault(code, region) is not region:
            raise _FaultError(
                f"{region.place}: country_code {code} is that of {first[code]} already; "
                "it is for the country, and for none of its regions"
            )


def _name_by_names(by_name: Mapping[str, Sequence[_Region]]) -> None:
    """Give regions of a table without ids some that do not depend on the order of rows."""
    taken: dict[str, _Region] = {}
    for name, several in by_name.items():
        for region in several:
            region.id = name if len(several) == 1 else f"{name}, {region.parent}"
            other = taken.setdefault(region.id, region)
            if other is region:
                continue
            if other.name == name:
                raise _FaultError(f"{region.place}: {name!r} is in {region.parent!r} already ({other.place})")
            raise _FaultError(
                f"{region.place}: {name!r} in {region.parent!r} cannot be told from {other}; "
                "give the table a column id"
            )


def _cycle(lost: _Region, by_key: Mapping[str, Sequence[_Region]]) -> str:
    """In words, the cycle that one comes to from a region that does not lie in the root."""
    places: dict[_Region, int] = {}
    region = lost
    while region not in places:
        places[region] = len(places)
        region = by_key[region.parent][0]
    around = list(places)[places[region] :]
    return f"regions lie in each other: {' in '.join(map(str, [*around, region]))}"


def _check_levels(regions: Sequence[_Region], root: _Region) -> None:
    """Levels have an order, in which some regions may pass one over."""
    # a dictionary keeps its order, so that the same fault is told in the same words
    above: dict[str, dict[str, None]] = {region.level: {} for region in regions}
    for region, _ in _generations(root):
        for child in region.children:
            if child.level == region.level:
                raise _FaultError(
                    f"{child.place}: {child.name!r} is of the level {child.level!r} as is its parent"
                )
            above[child.level][region.level] = None
    try:
        TopologicalSorter(above).prepare()
    except CycleError as error:
        raise _FaultError(
            f"levels lie above each other: {' above '.join(map(repr, error.args[1]))}"
        ) from None


def _generations(root: _Region) -> Iterator[tuple[_Region, str | None]]:
    """Every region with its parent's id, after it."""
    waiting: deque[tuple[_Region, str | None]] = deque([(root, None)])
    while waiting:
        region, parent = waiting.popleft()
        yield region, parent
        waiting.extend((child, region.id) for child in region.children)


def _listed(regions: Sequence[_Region]) -> str:
    shown = ", ".join(map(str, regions[:3]))
    return f"{shown} and {len(regions) - 3} more" if len(regions) > 3 else shown
