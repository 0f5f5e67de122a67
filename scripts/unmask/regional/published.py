"""The numbers that the paper prints, to show beside ours."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unmask.errors import InputError
from unmask.user_files import read_yaml

OVERALL = "overall"
"""The column of the root."""

ORDERS = {"headed": "as headed", "likely": "likely order"}
"""Readings of the order of columns, and what they are called in a table."""

BY_REGION = ("table1", "table2", "table3", "table6")
CHANGES = ("rises", "mean rise", "falls", "mean fall")
_KEYS = {"source", "columns", *BY_REGION, "table4", "table5", "doubtful"}


@dataclass(frozen=True)
class Printed:
    """A row of a table of the paper under one reading of its columns.

    row: the measure, or the set of words; values: by continent code, and OVERALL; doubtful: the columns whose
    value can hardly be meant.
    """

    row: str
    order: str
    values: Mapping[str, float]
    doubtful: frozenset[str]


@dataclass(frozen=True)
class Published:
    """The facts of resources/regional/published.yaml. Models go by their published names; one that is not
    there, or None, has no rows."""

    facts: Mapping[str, Any]

    @classmethod
    def from_file(cls, path: str | Path) -> "Published":
        """Raises InputError naming the file and the key of what is missing, unknown or no number."""
        facts = read_yaml(path)
        _check(facts, f"{path}: ")
        return cls(facts)

    def rows(self, table: str, model: str | None) -> list[Printed]:
        """The rows of one of BY_REGION for a model: each as headed, then in the likely order."""
        marked = {tuple(entry) for doubt in self.facts["doubtful"] for entry in doubt["values"]}
        return [
            Printed(
                row,
                order,
                dict(zip(columns, values, strict=True)),
                frozenset(c for c in columns if (table, model, row, c) in marked),
            )
            for row, values in self.facts[table].get(model, {}).items()
            for order, columns in self.facts["columns"].items()
        ]

    def models(self) -> list[str]:
        """The models of Table 1."""
        return list(self.facts["table1"])

    def doubts(self) -> list[str]:
        """Why some of it can hardly be meant."""
        return [str(doubt["why"]).strip() for doubt in self.facts["doubtful"]]

    def prefix_scores(self) -> Mapping[str, Mapping[str, Mapping[str, float]]]:
        """Table 4: prefix, table, accuracy and macro_f1."""
        found: Mapping[str, Mapping[str, Mapping[str, float]]] = self.facts["table4"]["scores"]
        return found

    def prefix_changes(self) -> Mapping[str, Mapping[str, Sequence[float]]]:
        """Table 4: region, table, and what CHANGES names."""
        found: Mapping[str, Mapping[str, Sequence[float]]] = self.facts["table4"]["changes"]
        return found

    def label_changes(self) -> Mapping[str, Mapping[str, Sequence[float]]]:
        """Table 5: model, countries, percent of labels changed [to the positive one, to the negative one]."""
        found: Mapping[str, Mapping[str, Sequence[float]]] = self.facts["table5"]
        return found


def _check(facts: Any, where: str) -> None:
    if not isinstance(facts, dict) or set(facts) != _KEYS:
        known = set(facts) if isinstance(facts, dict) else set()
        wrong = sorted(map(str, known ^ _KEYS))
        raise InputError(f"{where}keys missing or unknown: {', '.join(wrong)}")
    columns = facts["columns"]
    _need(isinstance(columns, dict) and set(columns) == set(ORDERS), f"{where}columns: not headed and likely")
    headed, likely = columns["headed"], columns["likely"]
    ordered = isinstance(headed, list) and isinstance(likely, list) and sorted(headed) == sorted(likely)
    _need(ordered and len(set(headed)) == len(headed), f"{where}columns: the two orders name other columns")
    for table in BY_REGION:
        for model, rows in _mapping(facts[table], f"{where}{table}").items():
            for row, values in _mapping(rows, f"{where}{table}.{model}").items():
                _numbers(values, len(headed), f"{where}{table}.{model}.{row}")
    table4 = _mapping(facts["table4"], f"{where}table4")
    _need(set(table4) == {"scores", "changes"}, f"{where}table4: not scores and changes")
    for prefix, tables in _mapping(table4["scores"], f"{where}table4.scores").items():
        for table, scores in _mapping(tables, f"{where}table4.scores.{prefix}").items():
            place = f"{where}table4.scores.{prefix}.{table}"
            _need(set(_mapping(scores, place)) == {"accuracy", "macro_f1"}, f"{place}: not its two scores")
            _numbers(list(scores.values()), 2, place)
    for region, tables in _mapping(table4["changes"], f"{where}table4.changes").items():
        for table, values in _mapping(tables, f"{where}table4.changes.{region}").items():
            _numbers(values, len(CHANGES), f"{where}table4.changes.{region}.{table}")
    for model, rows in _mapping(facts["table5"], f"{where}table5").items():
        for row, values in _mapping(rows, f"{where}table5.{model}").items():
            _numbers(values, 2, f"{where}table5.{model}.{row}")
    _check_doubts(facts, where)


def _check_doubts(facts: Mapping[str, Any], where: str) -> None:
    _need(isinstance(facts["doubtful"], list), f"{where}doubtful: no list")
    for number, doubt in enumerate(facts["doubtful"], 1):
        place = f"{where}doubtful {number}"
        _need(isinstance(doubt, dict) and set(doubt) == {"why", "values"}, f"{place}: not why and values")
        for entry in doubt["values"]:
            whole = isinstance(entry, list) and len(entry) == 4 and entry[0] in BY_REGION
            known = whole and entry[2] in facts[entry[0]].get(entry[1], {})
            _need(known and entry[3] in facts["columns"]["headed"], f"{place}: there is no value {entry}")


def _need(condition: bool, line: str) -> None:
    if not condition:
        raise InputError(line)


def _mapping(value: Any, place: str) -> Mapping[str, Any]:
    _need(isinstance(value, dict), f"{place}: no mapping")
    found: Mapping[str, Any] = value
    return found


def _numbers(values: Any, many: int, place: str) -> None:
    _need(isinstance(values, list) and len(values) == many, f"{place}: not {many} numbers")
    for value in values:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        _need(number and math.isfinite(value), f"{place}: {value!r} is no number")
