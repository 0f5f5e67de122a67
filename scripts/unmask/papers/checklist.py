"""The tables of the papers that have printed numbers, as resources/papers/checklist.yaml declares them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from unmask import workflow_root
from unmask.study import choose_study
from unmask.user_files import read_config

CHECKLIST = workflow_root() / "resources/papers/checklist.yaml"

DATA = "{data}"
"""What stands for the user's folder in a study."""


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
