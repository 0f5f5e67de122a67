"""The numbers that the paper prints, to show beside ours."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unmask.downstream.terms import AFTER, BEFORE
from unmask.errors import InputError
from unmask.user_files import read_yaml

_KEYS = {"source", "table1", "table2", "doubtful"}
COUNTED = ("feminine", "masculine", "ilps")
_OF_TABLE2 = ("models", "alpha", "benchmarks", "significant", "larger")


@dataclass(frozen=True)
class PrintedTau:
    """significant: with a dagger. larger: in bold, larger than before."""

    tau: float
    significant: bool
    larger: bool


@dataclass(frozen=True)
class Published:
    """The facts of resources/downstream/published.yaml; tasks go by the paper's names."""

    facts: Mapping[str, Any]

    @classmethod
    def from_file(cls, path: str | Path) -> "Published":
        """Raises InputError naming the file and the key of what is missing, unknown or no number."""
        facts = read_yaml(path)
        _check(facts, f"{path}: ")
        return cls(facts)

    def words(self, task: str | None) -> Mapping[str, float] | None:
        """Table 1: what COUNTED names."""
        found: Mapping[str, float] | None = self.facts["table1"].get(task)
        return found

    def is_doubtful(self, table: str, task: str | None, column: str) -> bool:
        """Whether a value can hardly be meant."""
        return any([table, task, column] in doubt["values"] for doubt in self.facts["doubtful"])

    @property
    def alpha(self) -> float:
        """The level of the daggers of Table 2."""
        return float(self.facts["table2"]["alpha"])

    def benchmark(self, measure: str) -> str | None:
        """Which benchmark the taus of a measure are of; None where that is not known."""
        name: str | None = self.facts["table2"]["benchmarks"][measure]
        return name

    def tau(self, task: str | None, measure: str, when: str, benchmark: str | None) -> PrintedTau | None:
        """Table 2; None where the paper has no tau of that benchmark, by its published name.

        With a benchmark of None those of a measure whose benchmark is not known.
        """
        table = self.facts["table2"]
        values = {} if task is None or task in _OF_TABLE2 else table.get(task, {})
        if measure not in values or self.benchmark(measure) != benchmark:
            return None
        return PrintedTau(
            float(values[measure][(BEFORE, AFTER).index(when)]),
            [task, measure, when] in table["significant"],
            when == AFTER and [task, measure] in table["larger"],
        )

    def doubts(self) -> list[str]:
        """Why some of it can hardly be meant."""
        return [str(doubt["why"]).strip() for doubt in self.facts["doubtful"]]


def _check(facts: Any, where: str) -> None:
    wrong = set(facts) ^ _KEYS if isinstance(facts, dict) else _KEYS
    _need(not wrong, f"{where}keys missing or unknown: {', '.join(sorted(map(str, wrong)))}")
    for task, values in facts["table1"].items():
        place = f"{where}table1.{task}"
        _need(isinstance(values, dict) and set(values) == set(COUNTED), f"{place}: not {', '.join(COUNTED)}")
        _numbers(values.values(), place)
    table2 = facts["table2"]
    lacking = [key for key in _OF_TABLE2 if key not in table2]
    _need(not lacking, f"{where}table2: keys missing: {', '.join(lacking)}")
    _numbers([table2["alpha"]], f"{where}table2.alpha")
    for task, measures in facts["table2"].items():
        if task not in _OF_TABLE2:
            for measure, values in measures.items():
                place = f"{where}table2.{task}.{measure}"
                _need(isinstance(values, list) and len(values) == 2, f"{place}: not two numbers")
                _numbers(values, place)
                _need(measure in table2["benchmarks"], f"{where}table2.benchmarks: no {measure}")
    for number, doubt in enumerate(facts["doubtful"], 1):
        place = f"{where}doubtful {number}"
        _need(isinstance(doubt, dict) and set(doubt) == {"why", "values"}, f"{place}: not why and values")
        for table, task, column in doubt["values"]:
            known = column in facts.get(table, {}).get(task, {})
            _need(known, f"{place}: there is no value {[table, task, column]}")


def _need(condition: bool, line: str) -> None:
    if not condition:
        raise InputError(line)


def _numbers(values: Any, place: str) -> None:
    for value in values:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        _need(number and math.isfinite(value), f"{place}: {value!r} is no number")
