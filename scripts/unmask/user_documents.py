"""JSON and YAML files that a user gives, looked through from the top: what does not fit is one line.

Each fault is an InputError, `FILE: KEY.KEY: reason`; of the parts of a list, KEY is the number, from 1.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unmask.errors import InputError
from unmask.labels import Labels, fault_of
from unmask.strict import HALF, json_of
from unmask.user_files import read_text


@dataclass(frozen=True)
class Node:
    """A value in a file. where: the file, and the keys that lead to the value."""

    value: Any
    where: str
    top: bool = True

    def fault(self, reason: object) -> InputError:
        """The error for this value."""
        return InputError(f"{self.where}: {reason}")

    def child(self, key: object, value: Any) -> "Node":
        """A part of this value."""
        return Node(value, f"{self.where}{': ' if self.top else '.'}{key}", top=False)

    def mapping(self) -> dict[Any, "Node"]:
        """Its values by their keys, in order. Raises InputError where it is no mapping, or an empty one."""
        if not isinstance(self.value, Mapping):
            raise self.fault(f"is not a mapping but {shown(self.value)}")
        if not self.value:
            raise self.fault("is empty")
        return {key: self.child(key, value) for key, value in self.value.items()}

    def items(self) -> Iterator[tuple[str, "Node"]]:
        """Its labels, which are texts and look different, with their values; raises as `mapping` does."""
        labels = Labels()
        for key, node in self.mapping().items():
            if not isinstance(key, str):
                raise node.fault(f"the key {shown(key)} is not a text; put quotation marks around it")
            if fault := fault_of(key) or labels.check(key, "before it"):
                raise self.fault(fault)
            yield key, node

    def __getitem__(self, key: str) -> "Node":
        """The value of a key. Raises InputError naming the keys that there are where it is none of them."""
        values = self.mapping()
        if key not in values:
            raise self.fault(f"no {key} in it (it has {', '.join(map(str, values))})")
        return values[key]

    def parts(self) -> list["Node"]:
        """Its parts. Raises InputError where it is no list, or an empty one."""
        if not isinstance(self.value, list):
            raise self.fault(f"is not a list but {shown(self.value)}")
        if not self.value:
            raise self.fault("is empty")
        return [self.child(number, value) for number, value in enumerate(self.value, start=1)]

    def text(self, fault_in: Callable[[str], str | None] = lambda text: None) -> str:
        """A text with something in it, of which fault_in finds no fault. Raises InputError for another."""
        if not isinstance(self.value, str):
            quotes = "; put quotation marks around it" if isinstance(self.value, bool | int | float) else ""
            raise self.fault(f"is not a text but {shown(self.value)}{quotes}")
        if not self.value.strip():
            raise self.fault("is empty")
        if HALF.search(self.value):
            raise self.fault(f"{shown(self.value)} has half of a character in it")
        if fault := fault_in(self.value):
            raise self.fault(fault)
        return self.value

    def texts(self, fault_in: Callable[[str], str | None] = lambda text: None) -> list[str]:
        """The texts of a list. Raises InputError as `parts` and `text` do."""
        return [node.text(fault_in) for node in self.parts()]


def read_document(path: str | Path, parse: Callable[[str], Any] = json_of) -> Node:
    """What a file says. parse: json_of or yaml_of of unmask.strict, which raise ValueError.

    Raises InputError naming the file where it is no text, or not what `parse` reads.
    """
    try:
        return Node(parse(read_text(path)), str(path))
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None


def shown(value: object) -> str:
    """A value as a message has it: of several in one, their type."""
    if isinstance(value, list | dict | set | tuple):
        return f"a {type(value).__name__}"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
