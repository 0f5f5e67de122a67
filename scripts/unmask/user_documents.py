"""JSON, YAML and text files that a user gives, looked through from the top: what does not fit is one line.

Each fault is an InputError, `FILE: KEY.KEY: reason`; of the parts of a list, KEY is the number, from 1.
"""

import io
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unmask.errors import InputError
from unmask.user_files import Labels, parse_json, quoted, read_text, text_of

FaultIn = Callable[[str], str | None]
"""Finds why a text is not what it has to be, if so."""


def _none(text: str) -> str | None:
    return None


@dataclass(frozen=True)
class Node:
    """A value in a file. where: the file, and the keys that lead to the value."""

    value: Any
    where: str
    top: bool = True

    def fault(self, reason: object) -> InputError:
        """The error for this value."""
        return InputError(f"{self.where}: {reason}")

    def mapping(self) -> dict[Any, "Node"]:
        """Its values by their keys. Raises InputError where it is no mapping, or an empty one."""
        self._check(Mapping, "mapping")
        return {key: self._child(key, value) for key, value in self.value.items()}

    def __getitem__(self, key: str) -> "Node":
        """The value of a key. Raises InputError naming the keys that there are where it is none of them."""
        values = self.mapping()
        if key not in values:
            raise self.fault(f"no {key} in it (it has {', '.join(map(str, values))})")
        return values[key]

    def items(self, fault_in: FaultIn = _none) -> Iterator[tuple[str, "Node"]]:
        """Its keys, which are labels that look different, and their values. Raises InputError for others."""
        labels = Labels()
        for key, node in self.mapping().items():
            name = self._child("a key", key)
            yield name.text(lambda text: fault_in(text) or labels.check(text, "before it")), node

    def parts(self) -> list["Node"]:
        """What is in a list. Raises InputError where it is no list, or an empty one."""
        self._check(list, "list")
        return [self._child(number, value) for number, value in enumerate(self.value, start=1)]

    def text(self, fault_in: FaultIn = _none) -> str:
        """A text with something in it, in which fault_in finds no fault. Raises InputError for another."""
        try:
            text = text_of(self.value)
        except ValueError as error:
            mend = "; put quotation marks around it" if isinstance(self.value, bool | int | float) else ""
            raise self.fault(f"{error}{mend}") from None
        if fault := fault_in(text) if text.strip() else "is empty":
            raise self.fault(fault)
        return text

    def texts(self, fault_in: FaultIn = _none) -> list[str]:
        """The texts of a list. Raises InputError as `parts` and `text` do."""
        return [part.text(fault_in) for part in self.parts()]

    def number(self) -> float:
        """A finite number. Raises InputError for anything else."""
        with suppress(TypeError, OverflowError):
            if not isinstance(self.value, bool | str) and math.isfinite(self.value):
                return float(self.value)
        raise self.fault(f"{quoted(self.value)} is not a number")

    def _check(self, type_: type, name: str) -> None:
        if not isinstance(self.value, type_):
            raise self.fault(f"is not a {name} but {quoted(self.value)}")
        if not self.value:
            raise self.fault("is empty")

    def _child(self, key: object, value: Any) -> "Node":
        return Node(value, f"{self.where}{': ' if self.top else '.'}{key}", top=False)


def read_document(path: str | Path, parse: Callable[[str], Any] = parse_json) -> Node:
    """What a file says. parse: parse_json or parse_yaml of unmask.user_files, which raise ValueError.

    Raises InputError naming the file where it is no text, or not what `parse` reads.
    """
    try:
        return Node(parse(read_text(path)), str(path))
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None


def read_lines(path: str | Path) -> list[Node]:
    """The lines of a text that have something in them, without spaces around them, by their numbers.

    Raises InputError naming the file where it is no text, or has no such line.
    """
    lines = enumerate(io.StringIO(read_text(path), newline=None), start=1)
    nodes = [Node(line.strip(), f"{path}: line {number}") for number, line in lines if line.strip()]
    if not nodes:
        raise InputError(f"{path}: is empty")
    return nodes
