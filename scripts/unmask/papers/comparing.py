"""The papers' printed numbers beside ours: are they the same as far as the paper prints them?

Which tables have some is declared in resources/papers/checklist.yaml.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd

from unmask import workflow_root
from unmask.errors import InputError
from unmask.study import choose_study
from unmask.user_files import read_config

CHECKLIST = workflow_root() / "resources/papers/checklist.yaml"

DATA = "{data}"
"""What stands for the user's folder in a study."""

COLUMNS = ("paper", "item", "number", "protocol", "decimals", "printed", "ours", "difference", "within")
"""number: which one it is; decimals: how many the paper prints; difference: ours less the printed one;
within: whether the two are the same when ours is rounded so."""

MOST_DECIMALS = 9
SLACK = 1e-9
"""Of float error, as a share of half a unit."""


@dataclass(frozen=True)
class Item:
    """A table of a paper; the head of the file says what each key means."""

    paper: str
    item: str
    study: str
    file: str
    name: list[str]
    protocol: str | None = None
    only: Mapping[str, list[str]] = field(default_factory=dict)
    decimals: int | None = None
    beside: Mapping[str, list[str]] = field(default_factory=dict)
    family: str | None = None
    table: str | None = None
    keys: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    times: float = 1

    @property
    def command(self) -> str:
        """What makes it, with all else that its study has."""
        return f"unmask run {self.study}{' --data DIR' if needs_data(self.study) else ''}"


def read_items() -> dict[str, list[Item]]:
    """The tables of each paper, by the name by which a user chooses it."""
    papers = read_config(CHECKLIST)["papers"]
    return {paper: [Item(paper, **each) for each in items] for paper, items in papers.items()}


def read_costs() -> dict[str, str]:
    """What the tables of each study take, in words; the cheapest study first."""
    return dict(read_config(CHECKLIST)["takes"])


def needs_data(study: str) -> bool:
    """Whether a study that comes with Unmask reads files of a folder that the user gives."""
    return DATA in json.dumps(choose_study({"study": study}, workflow_root(), []))


def compared(item: Item, folder: str | Path) -> pd.DataFrame:
    """The printed numbers of an item beside those of finished results, with COLUMNS.

    A number without a value of ours is left out. Raises InputError where the results lack the table.
    """
    path = Path(folder, item.file)
    if not path.is_file():
        raise InputError(f"{path}: is not there; run: {item.command}")
    ours = _read(path)
    if lacking := [name for name in _needed(item) if name not in ours.columns]:
        raise InputError(f"{path}: no column {lacking[0]!r}; are these results of this version?")
    rows = pd.DataFrame(
        list(_joined(ours, item) if item.family else _beside(ours, item)),
        columns=["number", "protocol", "source", "printed", "ours"],
    )
    rows = rows.dropna(subset=["printed", "ours"])
    rows["ours"] = rows["ours"] * item.times
    rows["decimals"] = _decimals(rows, item.decimals)
    rows["difference"] = rows["ours"] - rows["printed"]
    half = 0.5 * 10.0 ** -rows["decimals"].astype(float)
    rows["within"] = rows["difference"].abs() <= half * (1 + SLACK) + SLACK * rows["printed"].abs()
    return rows.assign(paper=item.paper, item=item.item)[list(COLUMNS)].reset_index(drop=True)


def _needed(item: Item) -> Iterator[str]:
    """The columns of the table of ours that a comparison reads."""
    yield from (*item.name, *item.keys, *item.values, *item.only)
    if item.protocol is not None:
        yield item.protocol
    for column, others in item.beside.items():
        yield from (column, *others)


def _read(path: Path, skipped: int = 0) -> pd.DataFrame:
    # the id of North America is NA
    return pd.read_csv(path, keep_default_na=False, na_values=[""], skiprows=skipped)


Line = tuple[str, str, str, Any, Any]


def _named(row: Mapping[str, Any], columns: Sequence[str], *more: str) -> str:
    return " ".join([*(str(row[name]) for name in columns if not pd.isna(row[name])), *more])


def _protocol(row: Mapping[str, Any], item: Item) -> str:
    return "" if item.protocol is None else str(row[item.protocol])


def _rows(ours: pd.DataFrame, item: Item) -> Iterator[Mapping[str, Any]]:
    for row in ours.to_dict("records"):
        if all(row[column] in values for column, values in item.only.items()):
            yield {str(key): value for key, value in row.items()}


def _beside(ours: pd.DataFrame, item: Item) -> Iterator[Line]:
    """Of a table that has the printed numbers in columns of its own."""
    for row in _rows(ours, item):
        for column, others in item.beside.items():
            for other in others:
                # one column of printed numbers needs no name
                which = () if len(item.beside) == len(others) == 1 else (other,)
                number = _named(row, item.name, *which)
                yield number, _protocol(row, item), str(row.get("source", "")), row[other], row[column]


def _joined(ours: pd.DataFrame, item: Item) -> Iterator[Line]:
    """Of a table whose printed numbers are in the family's published.csv."""
    path = workflow_root() / f"resources/{item.family}/published.csv"
    with open(path, encoding="utf-8") as lines:
        comments = next(number for number, line in enumerate(lines) if not line.startswith("#"))
    known = _read(path, comments)
    known = known[known["table"] == item.table]
    values = {
        (row["quantity"], *(row[key] for key in item.keys.values())): row for row in known.to_dict("records")
    }
    for row in _rows(ours, item):
        keys = [item.names.get(column, {}).get(str(row[column]), row[column]) for column in item.keys]
        for column, quantity in item.values.items():
            if (match := values.get((quantity, *keys))) is not None:
                number = _named(row, item.name, *([column] if len(item.values) > 1 else []))
                yield number, _protocol(row, item), match["source"], match["value"], row[column]


def _decimals(rows: pd.DataFrame, stated: int | None) -> "pd.Series[int]":
    """How many decimals each number is printed with: as stated, or as many as any of its source has."""
    if stated is not None:
        return pd.Series(stated, index=rows.index, dtype=int)
    each = rows["printed"].map(_decimals_of).astype(int)
    return each.groupby(rows["source"]).transform("max")


def _decimals_of(number: float) -> int:
    exponent = Decimal(repr(float(number))).normalize().as_tuple().exponent
    return min(max(-int(exponent), 0), MOST_DECIMALS)


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Of each item and protocol how many numbers there are, how many are within rounding, and the largest
    difference."""
    by = table.assign(size=table["difference"].abs()).groupby(["paper", "item", "protocol"], sort=False)
    return by.agg(numbers=("within", "size"), within=("within", "sum"), largest=("size", "max")).reset_index()
