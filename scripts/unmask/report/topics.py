"""Topics: what a family shows of one subject, from rows to a section of the report and to files.

A family declares rows, a table, a chart and sentences; how they become a section is here once. What a topic
shows is what its rows hold: a topic without rows is not in the report.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import pandas as pd

from unmask.report.captions import COMPUTED, Captions
from unmask.report.charts import chart
from unmask.report.declared_tables import Table
from unmask.report.sections import Block, Fold, Section, Text, first_open
from unmask.report.sections import Table as TableBlock
from unmask.report.sheets import NO_SHEET, Sheet, TableAndSheet

if TYPE_CHECKING:
    from unmask.report.charts import Drawn


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

    def every(self) -> "Iterator[Topic[Results]]":
        """It, and the topics below it."""
        yield self
        for topic in self.more:
            yield from topic.every()

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
        if self.name in results.captions.templates.get(COMPUTED, ()):
            yield results.captions.computed(self.name)

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
        yield from first_open([*self._charts(results, rows)])
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
