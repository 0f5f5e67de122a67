"""Tables as families declare them: which columns of a tidy frame they show, and how each cell reads.

The template of a cell is a format string over the columns of a row, such as `{d:+.2f}{mark}`. Beside
Python's own formats there is `p` (a p-value). A null drops the [part in brackets] that it stands in; outside
of brackets, or where nothing is left, the cell is a dash. A [~part] is also dropped where its values read
like those before it; a <part> is itself a dash where it has a null.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import Formatter
from typing import Any

import numpy as np
import pandas as pd

from unmask.report.captions import Captions
from unmask.report.sheets import DAGGER, DASH, Sheet, p_value, with_minus

Head = tuple[str, str]
"""(group, label) of a column of a sheet."""

EMPTY = "Nothing in this study has what this table needs."
"""How the caption of a table without rows ends."""

_PART = re.compile(r"(\[[^\]]*\]|<[^>]*>)")


class _NullError(Exception):
    """A value that a template names is null."""


class _Template(Formatter):
    """Formats values as cells have them. Raises _NullError for a null."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if pd.isna(value):
            raise _NullError
        if format_spec == "p":
            return p_value(value)
        text = format(float(value) if format_spec.endswith("f") else value, format_spec)
        # no negative zero
        if re.fullmatch(r"-[0.]+", text):
            return text[1:]
        return text if isinstance(value, str) else with_minus(text)


_TEMPLATE = _Template()


def cell(template: str, row: Mapping[str, Any]) -> str:
    """The text of a cell. Raises KeyError for a column that the row has not."""
    texts: list[str] = []
    before: set[str] = set()
    for part in filter(None, _PART.split(template)):
        inner = part.strip("[~]<>") if part[0] in "[<" else part
        try:
            values, text = _values(inner, row), _TEMPLATE.vformat(inner, (), row)
        except _NullError:
            if part[0] == "<":
                texts.append(DASH)
            elif part[0] != "[":
                return DASH
            continue
        if not (part.startswith("[~") and values <= before):
            texts.append(text)
        before |= values
    return "".join(texts) if texts else DASH


def _values(template: str, row: Mapping[str, Any]) -> set[str]:
    """How the values of a template read."""
    parts = [(name, spec) for _, name, spec, _ in _TEMPLATE.parse(template) if name is not None]
    return {_TEMPLATE.vformat(f"{{{name}:{spec}}}", (), row) for name, spec in parts}


def fields(template: str) -> set[str]:
    """The columns that a template names, also those inside of formats."""
    names: set[str] = set()
    for _, name, spec, _ in _TEMPLATE.parse(template):
        if name is not None:
            names |= {name, *fields(spec or "")}
    return names


def ends(stem: str, spec: str) -> str:
    """The template of an interval, `low to high`, of the columns {stem}_low and {stem}_high; without a stem
    low and high."""
    start = f"{stem}_" if stem else ""
    return f"{{{start}low:{spec}}} to {{{start}high:{spec}}}"


def ranged(value: str, low: str, high: str, spec: str) -> str:
    """The template of a number with its interval, `value (low to high)`, of these columns; the number alone
    where it has none, or one of no width."""
    return f"{{{value}:{spec}}}[~ ({{{low}:{spec}}} to {{{high}:{spec}}})]"


@dataclass(frozen=True)
class Column:
    """A column of a table. cell: its template; group: what stands above its label."""

    label: str
    cell: str
    group: str = ""


@dataclass(frozen=True)
class Table:
    """A table of a family, as a selection of the rows of a tidy frame.

    name: that of its caption. keys: the columns that begin a row, each as they are or with a format
    (`ratio:g`); heads: what keys are headed with where it is not their name.

    across: columns whose values stand side by side, in the order of appearance, or of their categories where
    they are categorical. Of two, the first is the group and the second the label of a heading, with one
    column of cells. Of one, its values are the groups above the labels of the columns; with `label_first` the
    labels are the groups, above the values; with `lines` the columns stand one below the other, and a
    line in which nothing is known is left out.

    Without `across` each row of the frame is a row of the sheet.
    """

    name: str
    keys: Sequence[str]
    columns: Sequence[Column]
    across: Sequence[str] = ()
    lines: bool = False
    label_first: bool = False
    heads: Mapping[str, str] = field(default_factory=dict)

    def without(self, *names: str) -> "Table":
        """The table without the columns of these labels or groups."""
        columns = [column for column in self.columns if not {column.label, column.group} & {*names}]
        return replace(self, columns=columns)

    @property
    def stubs(self) -> tuple[str, ...]:
        """The heads of the first columns."""
        names = [key.partition(":")[0] for key in self.keys]
        return (*(self.heads.get(name, name) for name in names), *(["line"] if self.lines else []))

    def needs(self) -> set[str]:
        """The columns that a frame must have."""
        templates = [*(f"{{{key}}}" for key in self.keys), *(column.cell for column in self.columns)]
        return {*self.across}.union(*map(fields, templates))

    def captioned(self, frame: pd.DataFrame, captions: Captions) -> Sheet:
        """The sheet under its caption, which says so where there is nothing."""
        return self.sheet(frame, captions[self.name])

    def sheet(self, frame: pd.DataFrame, caption: str = "") -> Sheet:
        """The sheet of the rows of a frame under a caption, which says so where there are none.

        Raises ValueError where the frame has not all columns, and where two of its rows meet in one cell.
        """
        if missing := sorted(self.needs() - {*frame.columns}):
            raise ValueError(f"table {self.name}: the frame has no column {', '.join(missing)}")
        if frame.empty:
            return Sheet(f"{caption} {EMPTY}".strip(), self.stubs, (), ())
        rows: list[dict[Any, Any]] = frame.to_dict("records")
        if not self.across:
            heads = [(column.group, column.label) for column in self.columns]
            texts = [(*self._key(row), *(cell(c.cell, row) for c in self.columns)) for row in rows]
        else:
            heads = self._heads(frame)
            texts = self._crossed(rows, heads)
        return Sheet(caption, self.stubs, tuple(heads), tuple(texts))

    def _key(self, row: Mapping[Any, Any]) -> tuple[str, ...]:
        return tuple(cell(f"{{{key}}}", row) for key in self.keys)

    def _heads(self, frame: pd.DataFrame) -> list[Head]:
        """The headings of a table with values across, those of one group side by side."""
        orders = [_places(frame[name], by_appearance=name == self.across[0]) for name in self.across]
        known = frame[list(self.across)].drop_duplicates().itertuples(index=False, name=None)
        values = sorted(
            known, key=lambda value: [order.get(v, 0) for order, v in zip(orders, value, strict=True)]
        )
        if self.label_first:
            heads = [self._head(column, value) for column in self.columns for value in values]
        else:
            heads = [self._head(column, value) for value in values for column in self.columns]
        return list(dict.fromkeys(heads))

    def _head(self, column: Column, value: tuple[Any, ...]) -> Head:
        if len(value) == 2:
            return str(value[0]), str(value[1])
        if self.lines:
            return "", str(value[0])
        return (column.label, str(value[0])) if self.label_first else (str(value[0]), column.label)

    def _crossed(self, rows: Iterable[Mapping[Any, Any]], heads: Sequence[Head]) -> list[tuple[str, ...]]:
        """The rows of a table with values across."""
        texts: dict[tuple[str, ...], dict[str, dict[Head, str]]] = {}
        for row in rows:
            key, value = self._key(row), tuple(row[name] for name in self.across)
            lines = texts.setdefault(key, {})
            for column in self.columns:
                head = self._head(column, value)
                line = lines.setdefault(column.label if self.lines else "", {})
                if head in line:
                    raise ValueError(f"table {self.name}: two rows for {' '.join((*key, *head)).strip()}")
                line[head] = cell(column.cell, row)
        return [
            (*key, *([label] if self.lines else []), *(line.get(head, DASH) for head in heads))
            for key, lines in texts.items()
            for label, line in _known(lines).items()
        ]


def _places(values: "pd.Series[Any]", by_appearance: bool) -> dict[Any, int]:
    """The places of categories, or of values that have none in the order of appearance, where that is asked
    for."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        return {value: place for place, value in enumerate(values.cat.categories)}
    return {value: place for place, value in enumerate(values.unique())} if by_appearance else {}


def _known(lines: Mapping[str, Mapping[Head, str]]) -> Mapping[str, Mapping[Head, str]]:
    """The lines of a row in which something is known, or the first where nothing is."""
    known = {label: line for label, line in lines.items() if {*line.values()} != {DASH}}
    return known or dict([next(iter(lines.items()))])


def with_marks(frame: pd.DataFrame, alpha: float, p: str = "p") -> pd.DataFrame:
    """The frame with the column `mark`: † where p_holm is below alpha, * where only the raw p is."""
    raw, corrected = (frame[column].astype(float) for column in (p, "p_holm"))
    return frame.assign(mark=np.select([corrected < alpha, raw < alpha], [DAGGER, "*"], ""))


def in_order(frame: pd.DataFrame, **orders: Iterable[Any]) -> pd.DataFrame:
    """The rows by these columns, each in the order of its values here; equals stay as they are."""
    places = {name: {value: place for place, value in enumerate(values)} for name, values in orders.items()}
    return frame.sort_values(
        list(orders), key=lambda column: column.map(places[str(column.name)]), kind="stable"
    )
