"""Presenting a family of measures: its tables, its figures and its sections of the report, made by one job.

A family has PRESENTS, a Presentation, in unmask/{family}/presenting.py.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic

import altair as alt
import pandas as pd

from unmask import __version__
from unmask.files import write_text
from unmask.plugins import load
from unmask.report.charts import save_chart
from unmask.report.csv_text import csv_text
from unmask.report.rendering import latex, markdown
from unmask.report.sections import Section, write_sections
from unmask.report.sheets import NO_SHEET, TableAndSheet
from unmask.report.titled import title_of
from unmask.report.topics import Results, Topic

if TYPE_CHECKING:
    from unmask.report.charts import Drawn

MODULE = "presenting"
"""The name of a family's own part."""

NO_FIGURE = "Nothing in this study has what this figure needs."

FORMS: Mapping[str, Callable[[TableAndSheet], str]] = {
    "csv": lambda table: csv_text(table[0]),
    "md": lambda table: markdown(table[1]),
    "tex": lambda table: latex(table[1]),
}
"""What a table is written as."""


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
    used. topics: what its sections show, in their order; of one that needs code of its own, what makes the
    section. tables, charts: files that no topic has, or has otherwise, by name: the numbers of a table with
    its sheet, the numbers alone of one that is CSV alone; what draws a chart, and the name of its caption.
    shows: whether a section that has something to show is shown.
    """

    results: Callable[[Mapping[str, Any], Mapping[str, Any]], Results]
    topics: Sequence[Topic[Results] | Callable[[Results], Section]]
    tables: Mapping[str, Callable[[Results], TableAndSheet | pd.DataFrame]] = field(default_factory=dict)
    charts: "Mapping[str, tuple[Callable[[Results], Drawn | None], str]]" = field(default_factory=dict)
    shows: Callable[[Results, Section], bool] = lambda results, section: True

    def table(self, name: str, results: Results) -> TableAndSheet:
        """The numbers and the sheet of a table. Raises KeyError for an unknown name."""
        if name not in self.tables:
            return self._topic(name, lambda topic: topic.sheet).table(results)
        made = self.tables[name](results)
        return (made, NO_SHEET) if isinstance(made, pd.DataFrame) else made

    def figure(self, name: str, results: Results) -> "tuple[Drawn | None, str]":
        """A chart, None where there is nothing to draw, and its caption. Raises KeyError as `table` does."""
        if name in self.charts:
            draw, caption = self.charts[name]
            return draw(results), results.captions[caption]
        topic = self._topic(name, lambda topic: topic.chart or topic.draws)
        return topic.drawn(results), results.captions[f"{name}_chart"]

    def sections(self, results: Results) -> list[Section]:
        """The sections of a family, those that have something to show."""
        made = (each(results) if callable(each) else each.section(results) for each in self.topics)
        return [section for section in made if not section.is_empty() and self.shows(results, section)]

    def _topic(self, name: str, has: Callable[[Topic[Results]], object]) -> Topic[Results]:
        for topic in self._every_topic():
            if topic.files == name and has(topic):
                return topic
        raise KeyError(name)

    def _every_topic(self) -> Iterator[Topic[Results]]:
        for each in self.topics:
            if isinstance(each, Topic):
                yield from each.every()


def present(family: str, inputs: Inputs, outputs: Mapping[str, str], facts: Mapping[str, Any]) -> None:
    """Write some outputs of a family, each file whole or not at all.

    outputs: paths by name. The family's sections are a .json; a figure is {name}_svg and {name}_png, a table
    {name}_{form}, in a form of FORMS. facts: how sections say that they were made (unmask.files.record).
    """
    presents: Presentation[Any] = load(family, MODULE).PRESENTS
    results = presents.results(inputs.files, inputs.settings)
    table = cache(partial(presents.table, results=results))
    with charts_unchecked():
        for output, path in outputs.items():
            name, _, form = output.rpartition("_")
            if Path(path).suffix == ".json":
                write_sections(path, presents.sections(results), facts)
            elif form == "svg":
                drawn, caption = presents.figure(name, results)
                save_figure(drawn, caption, path, outputs[f"{name}_png"], inputs.study)
            elif form in FORMS:
                write_text(path, FORMS[form](table(name)))


def save_figure(drawn: "Drawn | None", caption: str, svg: str, png: str, study: str) -> None:
    """Write a chart with a title that says what it is and of which study; where there is none, a picture of
    words says so."""
    if drawn is None:
        words = alt.InlineData(values=[{"text": NO_FIGURE}])
        note = alt.Chart(words).mark_text(style="neutral").encode(text="text:N")
        save_chart(note.properties(width=560, height=60), svg, png)
    else:
        title = partial(title_of, heading=(), caption=caption, study=study, source=f"Unmask {__version__}")
        save_chart(drawn, svg, png, title)


def charts_unchecked() -> AbstractContextManager[None]:
    """A block in which Altair does not validate each part of a chart by the schema of Vega-Lite.

    That is a fifth of the time of presenting pairs, and tests validate the charts.
    """
    schemapi: Any = sys.modules.get("altair.utils.schemapi")
    return schemapi.debug_mode(False) if schemapi else nullcontext()
