"""What the report shows: sections, each a list of blocks, and the topics of families, which become sections.

A section states results in plain sentences, and then shows blocks: text, lists, tables, charts, folds, facts,
and programs that run in the reader's browser. The page shows any of them.

A family has PRESENTS, a Presentation, in unmask/{family}/presenting.py. It declares topics: what it shows of
one subject, as rows, a table, a chart and sentences. How they become a section is here once; a topic without
rows is not in the report. One job presents a family: it writes its tables, its figures and its sections.
"""

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, Protocol, TypeVar

import pandas as pd
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from unmask.errors import InputError
from unmask.files import write_text
from unmask.report.charts import save_figure, vega_lite
from unmask.report.tables import NO_SHEET, Sheet, Table, TableAndSheet, csv_text, latex, markdown
from unmask.report.wording import Captions, with_parts_of

if TYPE_CHECKING:
    from unmask.report.charts import Drawn

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
class TableBlock:
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


Block = Annotated[Text | Items | TableBlock | Chart | Facts | Code | App | Fold, Field(discriminator="kind")]


def chart(caption: str, alt: str, drawn: "Drawn") -> Chart:
    """A chart of Altair's as a block. Raises ValueError as unmask.report.charts.vega_lite does.

    Parts of the caption, or of the alternative text, stand where it has what they speak of
    (unmask.report.wording).
    """
    spec = vega_lite(drawn)
    rows = spec["data"]["values"]
    return Chart(with_parts_of(caption, rows), with_parts_of(alt, rows), spec)


@dataclass(frozen=True)
class Section:
    """A part of the report.

    name: a part of ids in the page; sections of one name are shown as one (`arranged`). sentences: what the
    numbers say, in plain words, the main thing first; label: what the navigation calls it, by default its
    heading. Of the section that has the answer of the whole report, title: the answer in a line; answers: to
    the questions of a reader, each with its question; headline: the main numbers in a narrow table, for a
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


# topics of families


class Captioned(Protocol):
    """Results of a family, with the captions of what it shows."""

    @property
    def captions(self) -> Captions: ...


Results = TypeVar("Results", bound=Captioned)


@dataclass(frozen=True)
class Topic(Generic[Results]):
    """What a family shows of one subject.

    name: of its section. file: that of its table and its chart, where they are written to files, and of the
    caption of the table; by default the name. The caption of the chart is {file}_chart; `computed` has under
    the name how the numbers come about.

    rows: what is shown. sheet: the table of the rows, declared or made by a function. chart: of the rows; or
    one of those alike in the columns `each`, the first open. draws: a chart that needs more of the
    results than rows. says: sentences, at most two where nothing is listed. more: topics in folds below it.
    """

    name: str
    title: str
    rows: Callable[[Results], pd.DataFrame] = lambda results: pd.DataFrame()
    sheet: Table | Callable[[Results, pd.DataFrame], Sheet] | None = None
    chart: "Callable[[pd.DataFrame], Drawn | None] | None" = None
    each: Sequence[str] = ()
    says: Callable[[Results], Iterable[str]] = lambda results: ()
    more: "Sequence[Topic[Results]]" = ()
    label: str = ""
    file: str = ""
    draws: "Callable[[Results], Drawn | None] | None" = None

    @property
    def files(self) -> str:
        """The name of its table and its chart."""
        return self.file or self.name

    def section(self, results: Results) -> Section:
        """Its section; an empty one where there are no rows."""
        blocks = [*self._shown(results, open_table=False)]
        for topic in self.more:
            if inner := tuple(topic._shown(results, open_table=True)):
                blocks.append(
                    Fold(topic.title, (*map(Text, topic.says(results)), *inner, *topic._computed(results)))
                )
        if blocks:
            blocks += self._computed(results)
        sentences = tuple(self.says(results)) if blocks else ()
        return Section(self.name, self.title, sentences, tuple(blocks), label=self.label)

    def _computed(self, results: Results) -> Iterator[Fold]:
        """How its numbers come about, where its captions say so."""
        if lines := results.captions.computed(self.name):
            yield Fold("How this is computed", (Facts(lines),))

    def table(self, results: Results) -> TableAndSheet:
        """The numbers of its table, and the table as it is read."""
        rows = self.rows(results)
        return rows, self._sheet(results, rows)

    def drawn(self, results: Results) -> "Drawn | None":
        """Its chart of all rows; None where there is nothing to draw."""
        return self._drawn(results, self.rows(results))

    def _sheet(self, results: Results, rows: pd.DataFrame) -> Sheet:
        if isinstance(self.sheet, Table):
            return self.sheet.sheet(rows, results.captions[self.files])
        return self.sheet(results, rows) if self.sheet else NO_SHEET

    def _drawn(self, results: Results, rows: pd.DataFrame) -> "Drawn | None":
        if self.draws:
            return self.draws(results)
        return self.chart(rows) if self.chart and not rows.empty else None

    def _shown(self, results: Results, open_table: bool) -> Iterator[Block]:
        """The chart, or one of each, and the table. open_table: whether that is in no fold of its own."""
        rows = self.rows(results)
        first, *others = [*self._charts(results, rows)] or [Fold("", ())]
        yield from (replace(first, open=True), *others) if others else first.blocks
        if not rows.empty and (sheet := self._sheet(results, rows)).rows:
            yield TableBlock(sheet) if open_table else Fold("The numbers", (TableBlock(sheet),))

    def _charts(self, results: Results, rows: pd.DataFrame) -> Iterator[Fold]:
        each = list(self.each)
        parts = rows.groupby(each, sort=False, observed=True) if each and len(rows) else [((), rows)]
        for values, part in parts:
            title = ", ".join(map(str, values))
            if drawn := self._drawn(results, part):
                text = f"{title}. " if title else ""
                caption = f"{text}{results.captions[f'{self.files}_chart']}"
                yield Fold(title, (chart(caption, f"{caption} The buttons below save its numbers.", drawn),))


def clear(rows: pd.DataFrame, what: str, level: float) -> str:
    """How many of some differences are clear: below the level after Holm's correction.

    rows: with p and p_holm; what: they are, such as `differences between two measures`.
    """
    tested, count = int(rows["p"].notna().sum()), int((rows["p_holm"] < level).sum())
    if (tested or len(rows)) == 1:
        what = re.sub(r"s\b", "", what, count=1)
    if not tested:
        return f"None of {len(rows):,} {what} can be tested."
    clear = f"{count or 'none'} {'is' if count < 2 else 'are'} clear"
    return f"Of {tested:,} {what}, {clear} (p < {level:.2g} after Holm's correction)."


FORMS: Mapping[str, Callable[[TableAndSheet], str]] = {
    "csv": lambda table: csv_text(table[0]),
    "md": lambda table: markdown(table[1]),
    "tex": lambda table: latex(table[1]),
}
"""What a table is written as."""


@dataclass(frozen=True)
class Presentation(Generic[Results]):
    """What a family shows.

    results: made from files and settings as `present` has them; its properties read files when they are first
    used. topics: what its sections show, in their order; of one that needs code of its own, what makes the
    section. tables, charts: files that no topic has, or has otherwise, by name: the numbers of a table with
    its sheet, the numbers alone of one that is CSV alone; what draws a chart. shows: whether a section that
    has something to show is shown.
    """

    results: Callable[[Mapping[str, Any], Mapping[str, Any]], Results]
    topics: Sequence[Topic[Results] | Callable[[Results], Section]]
    tables: Mapping[str, Callable[[Results], TableAndSheet | pd.DataFrame]] = field(default_factory=dict)
    charts: "Mapping[str, Callable[[Results], Drawn | None]]" = field(default_factory=dict)
    shows: Callable[[Results, Section], bool] = lambda results, section: True

    def table(self, name: str, results: Results) -> TableAndSheet:
        """The numbers and the sheet of a table. Raises KeyError for an unknown name."""
        if name not in self.tables:
            return self._topic(name, lambda topic: topic.sheet).table(results)
        made = self.tables[name](results)
        return (made, NO_SHEET) if isinstance(made, pd.DataFrame) else made

    def figure(self, name: str, results: Results) -> "tuple[Drawn | None, str]":
        """A chart, None where there is nothing to draw, and its caption. Raises KeyError as `table` does."""
        draw = self.charts.get(name) or self._topic(name, lambda topic: topic.chart or topic.draws).drawn
        return draw(results), results.captions[f"{name}_chart"]

    def sections(self, results: Results) -> list[Section]:
        """The sections of a family, those that have something to show."""
        made = (each(results) if callable(each) else each.section(results) for each in self.topics)
        return [section for section in made if not section.is_empty() and self.shows(results, section)]

    def _topic(self, name: str, has: Callable[[Topic[Results]], object]) -> Topic[Results]:
        whole = (each for each in self.topics if isinstance(each, Topic))
        for topic in (topic for each in whole for topic in (each, *each.more)):
            if topic.files == name and has(topic):
                return topic
        raise KeyError(name)


def present(
    presents: Presentation[Any],
    files: Mapping[str, Any],
    settings: Mapping[str, Any],
    outputs: Mapping[str, str],
    study: str,
    facts: Mapping[str, Any],
) -> None:
    """Write some outputs of a family, each file whole or not at all.

    files: of results, by name, a path or a list of paths each; settings: of the study that the family needs.
    outputs: paths by name. The family's sections are a .json; a figure is {name}_svg and {name}_png, a table
    {name}_{form}, in a form of FORMS. study: its name. facts: how sections say that they were made
    (unmask.files.record).
    """
    results = presents.results(files, settings)
    table = cache(partial(presents.table, results=results))
    with charts_unchecked():
        for output, path in outputs.items():
            name, _, form = output.rpartition("_")
            if Path(path).suffix == ".json":
                write_sections(path, presents.sections(results), facts)
            elif form == "svg":
                drawn, caption = presents.figure(name, results)
                save_figure(drawn, caption, path, outputs[f"{name}_png"], study)
            elif form in FORMS:
                write_text(path, FORMS[form](table(name)))


def charts_unchecked() -> AbstractContextManager[None]:
    """A block in which Altair does not validate each part of a chart by the schema of Vega-Lite.

    That is a fifth of the time of presenting pairs, and tests validate the charts.
    """
    schemapi: Any = sys.modules.get("altair.utils.schemapi")
    return schemapi.debug_mode(False) if schemapi else nullcontext()
