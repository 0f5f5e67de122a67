"""The report is a list of sections, each made by itself into a file of its own; the page shows any of them.

A section states results in plain sentences, and then shows blocks: text, lists, tables, charts, folds,
facts, and programs that run in the reader's browser.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from unmask.errors import InputError
from unmask.files import write_text
from unmask.report.tables import Sheet

METHOD = "method"
"""The name of the last section of the page: how numbers came about, and what they are from. Several
families, and the report itself, write parts of it."""


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str
    kind: Literal["text"] = field(default="text", kw_only=True)


@dataclass(frozen=True)
class Items:
    """A list of texts; `warning` where a reader should be wary of them."""

    texts: tuple[str, ...]
    warning: bool = False
    kind: Literal["items"] = field(default="items", kw_only=True)


@dataclass(frozen=True)
class Table:
    """A table under its caption; one without rows is its caption alone."""

    sheet: Sheet
    kind: Literal["table"] = field(default="table", kw_only=True)


@dataclass(frozen=True)
class Chart:
    """A chart under its caption, which the reader's browser draws.

    spec: a Vega-Lite document that has its data in it, rows as `{"data": {"values": [...]}}`.
    alt: what it shows, for those who do not see it.
    Raises ValueError for one that has not.
    """

    caption: str
    alt: str
    spec: dict[str, Any]
    kind: Literal["chart"] = field(default="chart", kw_only=True)

    def __post_init__(self) -> None:
        match self.spec:
            case {"data": {"values": [*_]}}:
                return
        raise ValueError("a chart has its rows in it, as data.values")

    @property
    def rows(self) -> list[dict[str, Any]]:
        """What it is drawn from."""
        rows: list[dict[str, Any]] = self.spec["data"]["values"]
        return rows


@dataclass(frozen=True)
class Facts:
    """Lines of a key and a value."""

    lines: tuple[tuple[str, str], ...]
    kind: Literal["facts"] = field(default="facts", kw_only=True)


@dataclass(frozen=True)
class Code:
    """Text to be copied as it is, such as BibTeX: its lines stay."""

    text: str
    kind: Literal["code"] = field(default="code", kw_only=True)


@dataclass(frozen=True)
class App:
    """A program of this project for the reader's browser, with its data.

    name: a part of its id in the page. program: where its JavaScript is in this library, without suffix, such
    as pairs/explorer; a style sheet of that name goes with it. In the page it finds its place by the
    attribute `data-program`; the first child there has `value`, which JSON can hold.
    """

    name: str
    program: str
    value: Any
    kind: Literal["app"] = field(default="app", kw_only=True)


@dataclass(frozen=True)
class Fold:
    """Blocks that are shown when their title is opened."""

    title: str
    blocks: "tuple[Block, ...]"
    open: bool = False
    kind: Literal["fold"] = field(default="fold", kw_only=True)


Block = Annotated[Text | Items | Table | Chart | Facts | Code | App | Fold, Field(discriminator="kind")]


@dataclass(frozen=True)
class Section:
    """A part of the report.

    name: a part of ids in the page; sections of one name are shown as one (`arranged`). sentences: what was
    found, in plain words, the main thing first; label: what the navigation calls it, by default its heading.
    Of the section that has the answer of the whole report, title: the answer in a line; answers: to the
    questions of a reader, each with its question; headline: the main numbers in a narrow table, for a
    terminal (unmask.report.page).
    """

    name: str
    heading: str
    sentences: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = ()
    headline: Sheet | None = None
    title: str = ""
    answers: tuple[tuple[str, str], ...] = ()
    label: str = ""

    def is_empty(self) -> bool:
        """Whether it has nothing to show."""
        return not (self.sentences or self.blocks or self.answers)

    def every_block(self) -> Iterator[Block]:
        """Its blocks, and those in folds."""
        yield from _with_inner(self.blocks)


def _with_inner(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Fold):
            yield from _with_inner(block.blocks)


def arranged(sections: Iterable[Section]) -> list[Section]:
    """The sections of a page that have something to show: those of one name as one, METHOD last."""
    parts: dict[str, Section] = {}
    for part in sections:
        if first := parts.get(part.name):
            sentences, blocks = first.sentences + part.sentences, first.blocks + part.blocks
            part = replace(first, heading=first.heading or part.heading, sentences=sentences, blocks=blocks)
        parts[part.name] = part
    whole = [section for section in parts.values() if not section.is_empty()]
    return sorted(whole, key=lambda section: section.name == METHOD)


def write_sections(path: str | Path, sections: Iterable[Section], facts: Mapping[str, Any]) -> None:
    """Write sections as JSON, in their order, whole or not at all.

    facts: how they say that they were made (unmask.files.record).
    Raises ValueError for data that JSON cannot hold, such as NaN.
    """
    stored = {"sections": _SECTIONS.dump_python([*sections]), **facts}
    write_text(path, json.dumps(stored, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def read_sections(path: str | Path) -> list[Section]:
    """What `write_sections` wrote. Raises InputError where the file holds something else."""
    try:
        return _SECTIONS.validate_python(json.loads(Path(path).read_bytes())["sections"])
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except ValidationError as error:
        (first, *_) = error.errors()
        place = ".".join(map(str, first["loc"]))
        raise InputError(f"{path}: no sections of the report: {place}: {first['msg']}") from None
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: no sections of the report: {error}") from None


_SECTIONS = TypeAdapter(list[Section], config=ConfigDict(extra="forbid"))
