"""Values of association tests that others have published, to show beside ours."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unmask.associations.terms import LEVELS, POOLINGS, VECTORS
from unmask.errors import InputError
from unmask.user_files import read_yaml

_OF_SOURCE = {"title", "authors", "where", "read_from", "protocol"}
_OF_PROTOCOL = {"pooling", "level", "ddof", "note"}
_OF_VALUE = {"source", "model", "test", "mean_absolute", "d", "p", "S", "note"}


@dataclass(frozen=True)
class Protocol:
    """How a source has its values: pooling and level as ours are called, and ddof of the deviation in d."""

    pooling: str
    level: str
    ddof: int
    note: str | None


@dataclass(frozen=True)
class PublishedValue:
    """A value of one test; of several tests, d is the mean of |d|. Null is what the source does not say."""

    source: str
    model: str
    tests: tuple[str, ...]
    d: float
    p: float | None
    statistic: float | None
    note: str | None
    protocol: Protocol


@dataclass(frozen=True)
class Published:
    """The facts of resources/associations/published.yaml."""

    sources: Mapping[str, Mapping[str, Any]]
    """By name: title, authors (maybe), where, read_from (maybe), protocol."""
    values: tuple[PublishedValue, ...]

    @classmethod
    def from_file(cls, path: str | Path) -> "Published":
        """Raises InputError naming the file and the key of what is missing, unknown or no number."""
        facts = read_yaml(path)
        where = f"{path}: "
        _need(
            isinstance(facts, dict) and set(facts) == {"sources", "values"}, f"{where}not sources and values"
        )
        _need(isinstance(facts["sources"], dict), f"{where}sources: no mapping")
        protocols = {
            name: _protocol(source, f"{where}sources.{name}") for name, source in facts["sources"].items()
        }
        _need(isinstance(facts["values"], list), f"{where}values: no list")
        values = tuple(
            _value(value, protocols, f"{where}value {number}")
            for number, value in enumerate(facts["values"], 1)
        )
        keys = [(value.source, value.model, value.tests) for value in values]
        for number, key in enumerate(keys, 1):
            _need(key not in keys[: number - 1], f"{where}value {number}: is there twice")
        return cls(facts["sources"], values)

    def of(self, model: str | None, test: str | None) -> list[PublishedValue]:
        """The values of one test of a model, in the order of the file; none for None.

        model: the `published` of the encoder. test: the name of its file in the released suites.
        """
        return [value for value in self.values if value.model == model and value.tests == (test,)]

    def means_of(self, model: str | None) -> list[PublishedValue]:
        """Means of |d| over several tests of a model."""
        return [value for value in self.values if value.model == model and len(value.tests) > 1]


def _protocol(source: Any, where: str) -> Protocol:
    _need(isinstance(source, dict) and set(source) <= _OF_SOURCE, f"{where}: keys unknown")
    _need({"title", "where", "protocol"} <= set(source), f"{where}: not title, where and protocol")
    protocol = source["protocol"]
    _need(isinstance(protocol, dict) and set(protocol) <= _OF_PROTOCOL, f"{where}.protocol: keys unknown")
    pooling, level = protocol.get("pooling"), protocol.get("level")
    _need(pooling in (*POOLINGS, VECTORS), f"{where}.protocol.pooling: {pooling!r} is none")
    _need(level in LEVELS, f"{where}.protocol.level: {level!r} is none")
    ddof = protocol.get("ddof", 1)
    _need(
        ddof in (0, 1) and not isinstance(ddof, bool), f"{where}.protocol.ddof: {ddof!r} is neither 0 nor 1"
    )
    return Protocol(str(pooling), str(level), int(ddof), protocol.get("note"))


def _value(value: Any, protocols: Mapping[str, Protocol], where: str) -> PublishedValue:
    _need(isinstance(value, dict) and set(value) <= _OF_VALUE, f"{where}: keys unknown")
    _need(value.get("source") in protocols, f"{where}: source {value.get('source')!r} is not there")
    _need(isinstance(value.get("model"), str), f"{where}: no model")
    _need(("test" in value) != ("mean_absolute" in value), f"{where}: not one of test and mean_absolute")
    tests = value.get("mean_absolute", [value.get("test")])
    _need(
        isinstance(tests, list) and all(isinstance(test, str) for test in tests),
        f"{where}: no names of tests",
    )
    _need("test" in value or len(tests) > 1, f"{where}: mean_absolute is of several tests")
    numbers: dict[str, float | None] = {}
    for key in ("d", "p", "S"):
        number = value.get(key)
        real = isinstance(number, int | float) and not isinstance(number, bool) and math.isfinite(number)
        _need(real or (number is None and key != "d"), f"{where}: {key}: {number!r} is no number")
        numbers[key] = None if number is None else float(number)
    assert numbers["d"] is not None
    return PublishedValue(
        value["source"],
        value["model"],
        tuple(tests),
        numbers["d"],
        numbers["p"],
        numbers["S"],
        value.get("note"),
        protocols[value["source"]],
    )


def _need(condition: bool, line: str) -> None:
    if not condition:
        raise InputError(line)
