"""Tables: as a family declares them, as they are read (a sheet of text cells), and as they are written.

A declared table says which columns of a tidy frame it has, and how each cell reads. The template of a cell is
a format string over the columns of a row, such as `{d:+.2f}{mark}`. Beside Python's own formats there is `p`
(a p-value). A null drops the [part in brackets] that it stands in; outside of brackets, or where nothing is
left, the cell is a dash. A [~part] is also dropped where its values read like those before it; a <part> is
itself a dash where it has a null.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from string import Formatter
from typing import Any

import numpy as np
import pandas as pd

from unmask.report.wording import DAGGER, DASH, Captions, p_value, with_minus


@dataclass(frozen=True)
class Sheet:
    """A table of text.

    stubs: heads of the first columns; columns: (group, label) of the others; rows: as long as both together.
    """

    caption: str
    stubs: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, ...], ...]

    def groups(self) -> list[tuple[str, int]]:
        """Neighbouring columns of one group: (group, number of columns)."""
        return [(group, len([*heads])) for group, heads in groupby(self.columns, key=lambda head: head[0])]


NO_SHEET = Sheet("", (), (), ())

TableAndSheet = tuple[pd.DataFrame, Sheet]
"""The numbers of a table, and the table as it is read."""


# as a family declares it

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
    """The template of an interval, `low to high`, of the columns {stem}_low and {stem}_high."""
    return f"{{{stem}_low:{spec}}} to {{{stem}_high:{spec}}}"


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


# rows of frames

Row = Mapping[str, Any]


def rows_of(frame: pd.DataFrame) -> list[Any]:
    """The rows of a frame with its columns as attributes."""
    return list(frame.itertuples(index=False))


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame for sentences and charts: values as JSON has them, None for null."""
    nulls = frame.astype(object).where(frame.notna(), None)
    return [{str(key): value for key, value in row.items()} for row in nulls.to_dict("records")]


def columns_of(frame: pd.DataFrame, *same: str, **others: Any) -> pd.DataFrame:
    """A frame of some columns of another, and of others under names of their own: the name of a column that
    the other frame has, or the values."""
    renamed = {name: frame[each] if isinstance(each, str) else each for name, each in others.items()}
    return frame[[*same]].assign(**renamed)


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


# as it is written

_FORMULA = re.compile(r"[=+\-@\t\r]")
"""What a cell begins with that spreadsheets would run as a formula."""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)


def csv_text(rows: pd.DataFrame) -> str:
    """The table as CSV, without its index.

    Text that a spreadsheet would run as a formula stands behind an apostrophe, as OWASP advises against CSV
    injection. Numbers are written as they are, even where they are text.
    """
    safe = rows.rename(columns=_inert)
    for place in range(rows.shape[1]):
        column: Any = rows.iloc[:, place]
        if not pd.api.types.is_numeric_dtype(column):
            safe.isetitem(place, column.map(_inert, na_action="ignore"))
    return safe.to_csv(index=False)


def _inert(cell: Any) -> Any:
    risky = isinstance(cell, str) and _FORMULA.match(cell) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if risky else cell


LATEX_ESCAPES = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "†": r"\textsuperscript{\textdagger}",
    "*": r"\textsuperscript{*}",
    "\N{EN DASH}": r"--",
    "\N{MINUS SIGN}": r"$-$",
    "½": r"\textonehalf{}",
    "↑": r"$\uparrow$",
    "Δ": r"$\Delta$",
}
"""What characters are in LaTeX; the page has the same."""

_MARKDOWN = re.compile(r"([\\`*_\[\]<>|#$~])")


def escape_latex(text: str) -> str:
    """Text that LaTeX prints as it is; line ends become spaces."""
    escaped = "".join(LATEX_ESCAPES.get(character, character) for character in " ".join(text.split()))
    # a minus, not a hyphen
    return re.sub(r"^-(?=\d)", r"$-$", escaped)


def escape_markdown(text: str) -> str:
    """Text that Markdown prints as it is; line ends become spaces."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def markdown(sheet: Sheet) -> str:
    """The sheet as a Markdown table under its caption; a column is headed `group: label`."""
    lines = [escape_markdown(sheet.caption)]
    if sheet.columns:
        heads = [*sheet.stubs, *(f"{group}: {label}" if group else label for group, label in sheet.columns)]
        rules = ["---"] * len(sheet.stubs) + ["---:"] * len(sheet.columns)
        lines += ["", _markdown_row([escape_markdown(head) for head in heads]), _markdown_row(rules)]
        lines += [_markdown_row([escape_markdown(cell) for cell in row]) for row in sheet.rows]
    return "\n".join(lines) + "\n"


def _markdown_row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def latex(sheet: Sheet) -> str:
    """The sheet as a LaTeX table (needs the package booktabs); a model is named in its first row only."""
    if not sheet.columns:
        return f"% {' '.join(sheet.caption.split())}\n"
    stubs = len(sheet.stubs)
    # LaTeX numbers the table itself
    caption = re.sub(r"^Table \d+\. ", "", sheet.caption)
    lines = [
        "% needs \\usepackage{booktabs}",
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{escape_latex(caption)}}}",
        rf"  \begin{{tabular}}{{{'l' * stubs}{'r' * len(sheet.columns)}}}",
        r"    \toprule",
    ]
    spans, rules, start = [""] * stubs, [], stubs + 1
    for group, width in sheet.groups():
        spans.append(rf"\multicolumn{{{width}}}{{c}}{{{escape_latex(group)}}}")
        rules.append(rf"\cmidrule(lr){{{start}-{start + width - 1}}}")
        start += width
    heads = [*sheet.stubs, *(label for _, label in sheet.columns)]
    lines += [_latex_row(spans), "    " + " ".join(rules), _latex_row([escape_latex(h) for h in heads])]
    previous: str | None = None
    for row in sheet.rows:
        if row[0] != previous:
            lines.append(r"    \midrule")
        cells = [escape_latex(cell) for cell in row]
        lines.append(_latex_row(["" if row[0] == previous else cells[0], *cells[1:]]))
        previous = row[0]
    lines += [r"    \bottomrule", r"  \end{tabular}", r"\end{table}"]
    return "\n".join(lines) + "\n"


def _latex_row(cells: list[str]) -> str:
    return "    " + " & ".join(cells) + r" \\"
