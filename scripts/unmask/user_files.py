"""Files that a user gives: read here, so that each fault of theirs is one line that names the file.

JSON and YAML are read as they are meant: what other readers pass over or change in silence is an error.
They are looked through from the top, and each fault is an InputError, `FILE: KEY.KEY: reason`; of the parts
of a list, KEY is the number, from 1.
"""

import json
import math
import re
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from unmask.errors import InputError
from unmask.files import faults_of

UTF_8, UTF_16 = "utf-8", "utf-16"

_HALF = re.compile("[\ud800-\udfff]")
_NO_TEXT = re.compile(f"[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]|{_HALF.pattern}")
_NO_LABEL = re.compile(f"[\t\n\r\u2028\u2029]|{_NO_TEXT.pattern}")
_JOINERS = "\u200c\u200d"


def read_text(path: str | Path, encoding: str = UTF_8) -> str:
    """The text of a file as it is, without a byte order mark.

    Raises InputError naming the file, and the line of what is not text; and for UTF-8 that is to be read as
    another encoding, which nearly any bytes would be text of.
    """
    with faults_of(path):
        content = Path(path).read_bytes()
    if encoding not in (UTF_8, UTF_16) and not content.isascii():
        with suppress(UnicodeDecodeError):
            content.decode()
            raise InputError(f"{path}: is UTF-8 text, not {encoding.upper()}; leave out encoding")
    try:
        # a byte order mark is no text
        return content.decode("utf-8-sig" if encoding == UTF_8 else encoding)
    except UnicodeDecodeError as error:
        # bytes before the fault are text; those of a mark have no line break
        line = content.count(b"\n", 0, error.start) + 1
        advice = "; convert it to UTF-8" if encoding == UTF_8 else ""
        what = f"not {encoding.upper()} text ({error.reason} at byte {error.start}){advice}"
        raise InputError(f"{path}: line {line}: {what}") from None


def parse_json(text: str, read_object: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """What JSON says, as Python writes it (NaN). Raises ValueError, in one line, also for a key given twice,
    numbers too long to be meant, and where it is nested too deeply.

    read_object: what becomes of the keys and values of an object, where a key may be given twice.
    """
    try:
        return json.loads(text, object_pairs_hook=read_object or _object)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"not JSON ({error})") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise ValueError(f"the key {twice!r} is there twice in one object")
    return values


class _Loader(yaml.SafeLoader):
    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        # here a mapping is as it was written: later `<<` has put keys of others into it
        node: yaml.MappingNode = super().compose_mapping_node(anchor)
        lines: dict[str, int] = {}
        for key, _ in node.value:
            # 1 and "1" would be one name
            name, line = str(key.value), key.start_mark.line + 1
            if name in lines:
                twice = f"the key {name!r} is there twice, in lines {lines[name]} and {line}"
                raise yaml.YAMLError(twice)
            lines[name] = line
        return node


def parse_yaml(text: str) -> Any:
    """What YAML says. Raises ValueError, in one line, also for a key given twice and for what is no value."""
    try:
        return _Loader(text).get_single_data()
    except Exception as error:  # besides its own errors, whatever a value that is not of its tag leads to
        raise ValueError(f"not valid YAML: {' '.join(str(error).split())}") from None


def quoted(value: object) -> str:
    """A value as messages have it: of several in one their type, and cut where it is long."""
    if isinstance(value, list | dict | set | tuple):
        return f"a {type(value).__name__}"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


FaultIn = Callable[[str], str | None]
"""Finds why a text is not what it has to be, if so."""


def text_of(value: Any, fault_in: FaultIn | None = None, odd: re.Pattern[str] = _NO_TEXT) -> str:
    """A value that is a text with something in it. Raises ValueError for another, and for one with what is
    `odd` in it, by default what no text has, or in which `fault_in` finds a fault."""
    if not isinstance(value, str):
        mend = "; put quotation marks around it" if isinstance(value, bool | int | float) else ""
        raise ValueError(f"is not a text but {quoted(value)}{mend}")
    if not value.strip():
        raise ValueError("is empty")
    if fault := fault_of_text(value, odd) or (fault_in and fault_in(value)):
        raise ValueError(fault)
    return value


def published_text(value: Any) -> str:
    """A text of a data set as many use it: STS-B has "Treasury\\x12s". Raises ValueError for another."""
    return text_of(value, odd=_HALF)


def fault_of_text(text: str, odd: re.Pattern[str] = _NO_TEXT) -> str | None:
    """What no text has in it, if anything: what an encoding mistaken for another leaves, which tokenizers
    drop without a word. Tabs and line breaks are text."""
    if (match := odd.search(text)) is None:
        return None
    if (sign := match[0]) >= "\ud800":
        return f"has {sign!r} in it, where a character was lost"
    question = "; is it cp1252?" if "\x80" <= sign < "\xa0" else ""
    return f"has a control character {sign!r} in it{question}"


def fault_of(label: str) -> str | None:
    """Why a text cannot be a label, if so: no label is more than one line."""
    fault = fault_of_text(label, _NO_LABEL)
    return fault and f"{label!r} {fault}"


def number_in(value: Any, kind: type[int] | type[float]) -> int | float | None:
    """The number that a value is or writes out, if it is finite; no sign that Python alone knows is read."""
    if isinstance(value, str):
        plain = value.isascii() and "_" not in value
    else:
        plain = isinstance(value, int | kind) and not isinstance(value, bool)
    with suppress(ValueError, OverflowError):
        if plain and math.isfinite(number := kind(value)):
            return number
    return None


class Labels:
    """Names that data gives to groups, which a reader can tell apart: two that look alike would be two groups
    in silence."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[str, str]] = {}

    def check(self, label: str, place: str) -> str | None:
        """Why a label, first met at `place`, is none or cannot stand beside those before it, if so."""
        if fault := fault_of(label):
            return fault
        # what no one sees: surrounding spaces, format characters, the form of characters; but in some scripts
        # joiners make other words
        visible = "".join(each for each in label if each in _JOINERS or unicodedata.category(each) != "Cf")
        seen = unicodedata.normalize("NFC", visible).strip()
        first, where = self._seen.setdefault(seen, (label, place))
        if first != label:
            return f"{label!r} and {first!r} ({where}) look alike but are not; write them in one way"
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

    def parts(self) -> list["Node"]:
        """What is in a list. Raises InputError where it is no list, or an empty one."""
        self._check(list, "list")
        return [self._child(number, value) for number, value in enumerate(self.value, start=1)]

    def text(self, fault_in: FaultIn | None = None) -> str:
        """The text that it is, by `text_of`. Raises InputError where it is none."""
        try:
            return text_of(self.value, fault_in)
        except ValueError as error:
            raise self.fault(error) from None

    def texts(self, fault_in: FaultIn | None = None) -> list[str]:
        """The texts of a list. Raises InputError as `parts` and `text` do."""
        return [part.text(fault_in) for part in self.parts()]

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


def read_config(path: str | Path) -> dict[str, Any]:
    """The mapping in a YAML file. Raises InputError for a missing file, broken YAML or a key given twice."""
    config = read_document(path, parse_yaml).value
    if not isinstance(config, dict):
        raise InputError(f"{path}: holds no configuration")
    return config
