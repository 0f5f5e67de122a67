"""Presenting a family of measures: its tables, its figures and its sections of the report, made by one job.

A family has PRESENTS, a Presentation, in unmask/{family}/presenting.py.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from unmask.files import write_text
from unmask.plugins import load
from unmask.report.sections import OTHER_TESTS, Block, Section, folded, write_sections

if TYPE_CHECKING:
    import pandas as pd

    from unmask.report.charts import Drawn
    from unmask.report.findings import Finding
    from unmask.report.table_files import TableAndSheet
    from unmask.report.topics import Topic

Results = TypeVar("Results")

MODULE = "presenting"
"""The name of a family's own part."""


@dataclass(frozen=True)
class Inputs:
    """What a family is presented from. files: of results, by name, a path or a list of paths each; settings:
    of the study that it needs; study: its name."""

    files: Mapping[str, Any]
    settings: Mapping[str, Any]
    study: str = "study"


@dataclass(frozen=True)
class Presentation(Generic[Results]):
    """What a family shows.

    results: made from files and settings as Inputs has them; its properties read files when they are first
    used. tables: by name, the numbers of a table and its sheet; the numbers alone of one that is CSV alone.
    charts: by name, what draws a chart, and why there may be none; captions: of charts by name, a text or
    what makes it (`captioned`).

    topics: what its sections show, in their order; of one that needs code of its own, what makes the section.
    heading, findings: of the section of a family without topics:
    findings first, then charts under their captions, then tables in folds with their `titles`, and how
    numbers are computed (`explained`).
    """

    results: Callable[[Mapping[str, Any], Mapping[str, Any]], Results]
    tables: "Mapping[str, Callable[[Results], TableAndSheet | pd.DataFrame]]" = field(default_factory=dict)
    charts: "Mapping[str, tuple[Callable[[Results], Drawn | None], str]]" = field(default_factory=dict)
    heading: str = ""
    findings: "Sequence[Finding[Results]]" = ()
    captions: Mapping[str, str | Callable[[Results], str]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    explained: Callable[[Results], Block] | None = None
    topics: "Sequence[Topic[Any] | Callable[[Results], Section]]" = ()

    def table_texts(self, results: Results, files: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Tables as text, each with its name {table}_{form}, a form of unmask.report.table_files.FORMS.

        Raises KeyError for an unknown name (a defect of the caller).
        """
        from unmask.report.table_files import table_texts

        yield from table_texts({name: partial(make, results) for name, make in self.tables.items()}, files)

    def drawn(self, results: Results, figures: Iterable[str]) -> "Iterator[tuple[str, Drawn | str]]":
        """Charts, each with its name; where there is nothing to draw, a text that says why.

        Raises KeyError for an unknown name (a defect of the caller).
        """
        for name in figures:
            draw, without = self.charts[name]
            yield name, draw(results) or without

    def caption(self, figure: str, results: Results) -> str:
        """The caption of a chart. Raises KeyError for a chart that has none (a defect of the family)."""
        caption = self.captions[figure]
        return caption if isinstance(caption, str) else caption(results)

    def sections(self, name: str, results: Results) -> list[Section]:
        """The sections of a family, those that have something to show; name: of the only one, without
        topics."""
        if not self.topics:
            return [self._section(name, results)]
        made = (each(results) if callable(each) else each.section(results) for each in self.topics)
        return [section for section in made if not section.is_empty()]

    def _section(self, name: str, results: Results) -> Section:
        from unmask.report.charts import chart
        from unmask.report.findings import sentences

        blocks: list[Block] = []
        for figure, (draw, _) in self.charts.items():
            if drawn := draw(results):
                caption = self.caption(figure, results)
                blocks.append(chart(caption, f"{caption} The buttons below save its numbers.", drawn))
        for table, make in self.tables.items():
            if isinstance(table_and_sheet := make(results), tuple):
                title = self.titles.get(table, f"{table.capitalize()}, in numbers")
                blocks += folded(title, table_and_sheet[1])
        if blocks and self.explained:
            blocks.append(self.explained(results))
        texts = sentences(self.findings, results)
        return Section(name, self.heading, texts, tuple(blocks), group=OTHER_TESTS)


def captioned(figures: Iterable[str], **under: str) -> dict[str, Callable[[Any], str]]:
    """Captions of charts, which the captions of a family's results have under the names of the charts; under:
    other names that they have there."""

    def caption(name: str, results: Any) -> str:
        text: str = results.captions[name]
        return text

    return {figure: partial(caption, under.get(figure, figure)) for figure in figures}


def present(family: str, inputs: Inputs, outputs: Mapping[str, str], facts: Mapping[str, Any]) -> None:
    """Write some outputs of a family, each file whole or not at all.

    outputs: paths by name. The family's sections are a .json; a figure is written as {figure}_svg and
    {figure}_png; all else are tables. facts: how sections say that they were made (unmask.facts.record).
    """
    presents: Presentation[Any] = load(family, MODULE).PRESENTS
    results = presents.results(inputs.files, inputs.settings)
    sections = {name: path for name, path in outputs.items() if Path(path).suffix == ".json"}
    figures = {name: path for name, path in outputs.items() if Path(path).suffix in (".svg", ".png")}
    tables = {name: path for name, path in outputs.items() if name not in {*sections, *figures}}
    for name, text in presents.table_texts(results, tables) if tables else ():
        write_text(tables[name], text)
    if figures:
        # Altair is loaded only where something is drawn
        from unmask.report.chart_files import names_of, save_charts

        drawn = names_of(figures)
        captions = {name: presents.caption(name, results) for name in drawn}
        with charts_unchecked():
            save_charts(presents.drawn(results, drawn), figures, captions, inputs.study)
    for name, path in sections.items():
        with charts_unchecked():
            write_sections(path, presents.sections(name, results), facts)


def charts_unchecked() -> AbstractContextManager[None]:
    """A block in which Altair does not validate each part of a chart by the schema of Vega-Lite.

    That is a fifth of the time of presenting pairs, and tests validate the charts. Where nothing has loaded
    Altair, this does nothing.
    """
    schemapi: Any = sys.modules.get("altair.utils.schemapi")
    return schemapi.debug_mode(False) if schemapi else nullcontext()
