"""The check list of the papers' tables and figures, as resources/papers/checklist.yaml declares it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from unmask.configuration import Config, choose_study, read_config
from unmask.installation import workflow_root
from unmask.schemas import complete, read_families

FOLDER = workflow_root() / "resources/papers"

MADE, REAL = "made", "real"
"""Data that a file was made of here: those of the synthetic world, and real texts with a small real model."""

DATA = "{data}"
"""What stands for the user's folder in a study."""


@dataclass(frozen=True)
class Printed:
    """Where ours and the printed numbers of a table are; the keys are those of the declaration."""

    file: str
    name: tuple[str, ...]
    protocol: str | None = None
    equal: tuple[str, str] | None = None
    only: Mapping[str, list[str]] = field(default_factory=dict)
    decimals: int | None = None
    beside: Mapping[str, list[str]] = field(default_factory=dict)
    family: str | None = None
    table: str | None = None
    keys: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    times: float = 1


@dataclass(frozen=True)
class Item:
    """A table or figure. parts: what of its study it takes; ran: MADE, REAL, both or none."""

    paper: str
    item: str
    shows: str
    study: str
    file: str
    parts: tuple[str, ...]
    ran: tuple[str, ...]
    note: str | None = None
    printed: Printed | None = None

    @property
    def command(self) -> str:
        """What makes it, with all else that its study has."""
        return f"unmask run {self.study}{' --data DIR' if needs_data(self.study) else ''}"


@dataclass(frozen=True)
class Paper:
    """One of the papers. key: by which a user chooses it; source: authors, where and when."""

    key: str
    title: str
    source: str
    items: tuple[Item, ...]


def read_papers() -> list[Paper]:
    """The papers, in their order."""
    declared = read_config(FOLDER / "checklist.yaml")["papers"]
    return [
        Paper(key, paper["title"], paper["source"], tuple(_items(key, paper["items"])))
        for key, paper in declared.items()
    ]


def _items(paper: str, rows: list[dict[str, Any]]) -> Iterator[Item]:
    for row in rows:
        printed = row.get("printed")
        lists: dict[str, Any] = {"parts": tuple(row["parts"]), "ran": tuple(row["ran"])}
        if printed is not None:
            lists["printed"] = Printed(**{**printed, "name": tuple(printed["name"])})
        yield Item(paper=paper, **{**row, **lists})


def study_file(name: str) -> Config:
    """A study that comes with Unmask, as it is written."""
    return choose_study({"study": name}, workflow_root(), [])


def completed_study(name: str, data: str = "DIR") -> Config:
    """The same with the defaults of its keys; `data` is the user's folder."""
    return complete({**study_file(name), "data": data}, read_families(workflow_root() / "rules/schemas"))


def needs_data(name: str) -> bool:
    """Whether a study reads files of a folder that the user gives."""
    return any(DATA in text for text in _texts(study_file(name)))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
