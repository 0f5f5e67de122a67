"""Tables that a user gives: their columns are declared once, and what does not fit them is one line.

A table is csv, tsv, JSON lines or Parquet. How it is read, its entry in a study says:

type: csv | tsv | jsonl | parquet  where the file's name does not say
delimiter: ";"                     between the fields of csv and tsv, if it is another
quotes: false                      quote signs in csv and tsv are ordinary text
encoding: mac-roman                of a csv, tsv or jsonl file that is not UTF-8

Each fault is an InputError, `FILE: row N (line M): COLUMN: reason`. N counts rows from 0 and M lines of text
from 1; Parquet has no lines. Rules read tables, too, and have not loaded pandas or PyArrow.
"""

import csv
import io
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from unmask.errors import InputError, known_names
from unmask.files import faults_of
from unmask.user_files import UTF_8, Labels, number_in, parse_json, quoted, read_text, text_of

Entry = Mapping[str, Any]
Records = Iterator[tuple[str, Mapping[str, Any]]]
"""The place of each row in words, and its cells by the names of the file's columns."""

CSV: Entry = {"type": "csv"}
"""The entry of a table that is always comma-separated."""


@dataclass(frozen=True)
class Column:
    """A column, and what its cells have to be. An empty cell is read as None.

    name: in the rows that are read. header: in the file, where it is another. kind: str, int, float, or a
    function that reads a cell and raises ValueError with the reason where it cannot.
    required: no cell is empty. optional: the file may lack the column, whose cells are then all None.
    key: rows differ in the keys, taken together. choices: all that a cell may say; of a mapping, what each is
    read as. least, most: of numbers. label: rows are put together by it, so no two values may look alike.
    """

    name: str
    kind: Callable[[Any], Any] = str
    required: bool = False
    key: bool = False
    choices: Collection[str] | Mapping[str, Any] = ()
    header: str | None = None
    optional: bool = False
    least: float = -math.inf
    most: float = math.inf
    label: bool = False

    @property
    def in_file(self) -> str:
        """The column's name in the file."""
        return self.name if self.header is None else self.header

    def read(self, cell: Any) -> Any:
        """What a cell says. Raises ValueError with the reason where it cannot be."""
        if cell is None or cell != cell or (isinstance(cell, str) and not cell.strip()):
            if self.required:
                raise ValueError("is empty")
            return None
        if self.choices:
            text = value_text(cell)
            if text not in self.choices:
                raise ValueError(f"{quoted(cell)} is none of {', '.join(self.choices)}")
            return self.choices[text] if isinstance(self.choices, Mapping) else text
        if self.kind is int or self.kind is float:
            number = number_in(cell, int if self.kind is int else float)
            if number is None or not self.least <= number <= self.most:
                between = "" if math.isinf(self.most) else f" from {self.least:g} to {self.most:.12g}"
                what = "whole number" if self.kind is int else "number"
                raise ValueError(f"{quoted(cell)} is no {what}{between}")
            return number
        return text_of(cell) if self.kind is str else self.kind(cell)


class Row(dict[str, Any]):
    """A checked row: its cells by the names of columns, and its place in its file in words."""

    def __init__(self, path: str | Path, place: str, headers: Mapping[str, str]) -> None:
        super().__init__()
        self.place, self.where = place, f"{path}: {place}"
        self._headers = headers

    def fault(self, column: str, reason: object) -> InputError:
        """The error for a cell, by the name of its column, that does not fit what is declared nowhere."""
        return InputError(f"{self.where}: {self._headers.get(column, column)}: {reason}")


class Table:
    """Declared columns. Labels and keys are compared over all that one of these reads, in several files too.

    others: whether a file may have more columns, which are passed over.
    """

    def __init__(self, columns: Iterable[Column], others: bool = True) -> None:
        self.columns = tuple(columns)
        self._others = others
        # a header may be empty
        self._headers = {column.name: column.in_file or repr("") for column in self.columns}
        self._keys = [column.name for column in self.columns if column.key]
        self._labels = {column.name: Labels() for column in self.columns if column.label}
        self._first: dict[tuple[Any, ...], str] = {}

    def rows(self, path: str | Path, entry: Entry = CSV) -> Iterator[Row]:
        """The rows of a file in its order, each checked when it is asked for.

        entry: how the file is read. Raises InputError naming the file, and the row and column at fault; and
        where there is no row.
        """
        return (self.check(path, place, cells) for place, cells in self.cells(path, entry))

    def cells(self, path: str | Path, entry: Entry = CSV) -> Records:
        """The same as they are in the file: each with its place in words, and its cells by headers."""
        path, header = Path(path), None
        type_ = _type_in(path, entry)
        if type_ is None:
            kinds = ", ".join(f".{kind}" for kind in _READERS)
            raise InputError(f"{path}: its name has none of the endings {kinds}, and there is no key `type`")
        for place, cells in _READERS[type_](path, entry, [column.in_file for column in self.columns]):
            if cells.keys() != header:
                self._check_header(f"{path}: {place}" if type_ == "jsonl" else str(path), cells)
                header = cells.keys()
            yield place, cells
        if header is None:
            raise InputError(f"{path}: no rows in it")

    def check(self, path: str | Path, place: str, cells: Mapping[str, Any]) -> Row:
        """A row of cells by their headers, from anywhere. Raises InputError naming the column at fault."""
        row = Row(path, place, self._headers)
        for column in self.columns:
            try:
                absent = column.optional and column.in_file not in cells
                row[column.name] = None if absent else column.read(cells.get(column.in_file))
                if column.label:
                    self._check_label(column.name, row, path)
            except ValueError as error:
                raise row.fault(column.name, error) from None
        keys = {name: row[name] for name in self._keys if row[name] is not None}
        first = self._first.setdefault(tuple(row[name] for name in self._keys), row.where)
        if keys and first != row.where:
            names = ", ".join(self._headers[name] for name in keys)
            values = ", ".join(map(quoted, keys.values()))
            raise InputError(f"{row.where}: {names}: {values} stands in {first.replace(f'{path}: ', '')} too")
        return row

    def _check_header(self, where: str, cells: Mapping[str, Any]) -> None:
        headers = [column.in_file for column in self.columns]
        if missing := [c.in_file for c in self.columns if c.in_file not in cells and not c.optional]:
            choice = known_names(missing[0], cells, "columns")
            raise InputError(f"{where}: no column {missing[0]!r} ({choice})")
        if unknown := [] if self._others else [name for name in cells if name not in headers]:
            raise InputError(f"{where}: column {unknown[0]!r} is none of {', '.join(headers)}")

    def _check_label(self, name: str, row: Row, path: str | Path) -> None:
        for label in row[name] if isinstance(row[name], list) else [row[name]]:
            fault = label and self._labels[name].check(label, row.where)
            if fault:
                raise ValueError(fault.replace(f"({path}: ", "("))


def _type_in(path: Path, entry: Entry) -> str | None:
    """What the entry says, else what the source's or the file's name ends in."""
    names = [urlsplit(entry.get("url") or "").path, entry.get("path"), entry.get("file"), path.name]
    endings = [PurePosixPath(name or "").suffix[1:].lower() for name in names]
    return next((type_ for type_ in (entry.get("type"), *endings) if type_ in _READERS), None)


def _text(path: Path, entry: Entry) -> io.StringIO:
    return io.StringIO(read_text(path, str(entry.get("encoding", UTF_8))), newline="")


def _delimited(path: Path, entry: Entry, headers: Sequence[str]) -> Records:
    """Blank lines are passed over. Fields are kept as they are, line breaks inside quotes too, of which
    the last line is that of the row."""
    delimiter = str(entry.get("delimiter", "\t" if _type_in(path, entry) == "tsv" else ","))
    quoting: Any = csv.QUOTE_MINIMAL if entry.get("quotes", True) else csv.QUOTE_NONE
    reader = csv.reader(_text(path, entry), delimiter=delimiter, quoting=quoting, strict=True)
    lines, last = filter(None, reader), 0
    try:
        if not (header := next(lines, [])):
            raise InputError(f"{path}: no header in its first line")
        _refuse_repeats(path, header)
        last = reader.line_num
        for row, fields in enumerate(lines):
            last = reader.line_num
            place = f"row {row} (line {last})"
            if len(fields) != len(header):
                raise InputError(f"{path}: {place}: {len(fields)} fields where the header has {len(header)}")
            yield place, dict(zip(header, fields, strict=True))
    except csv.Error as error:
        # a quotation mark that is not closed may have taken all that follows
        reason = str(error).replace("unexpected end of data", "a quotation mark is not closed")
        raise InputError(f"{path}: line {last + 1}: {reason}") from None


def _json_lines(path: Path, entry: Entry, headers: Sequence[str]) -> Records:
    lines = enumerate(_text(path, entry), start=1)
    for row, (number, text) in enumerate(line for line in lines if line[1].strip()):
        place = f"row {row} (line {number})"
        try:
            fields = parse_json(text)
            if not isinstance(fields, dict):
                raise ValueError("not a JSON object")
        except ValueError as error:
            raise InputError(f"{path}: {place}: {error}") from None
        yield place, fields


def _parquet(path: Path, entry: Entry, headers: Sequence[str]) -> Records:
    """Of a file's columns, those that are declared are read."""
    import pyarrow.parquet as pq

    with faults_of(path, "not a readable Parquet file"), pq.ParquetFile(path) as file:
        names = file.schema_arrow.names
        _refuse_repeats(path, names)
        table = file.read([name for name in names if name in headers] or names[:1])
        table.validate(full=True)
    others = dict.fromkeys(names)
    try:
        rows = table.to_pylist()
    except (ValueError, OverflowError) as error:
        # as a date that no calendar has
        raise InputError(f"{path}: a value in it cannot be read ({error})") from None
    for row, cells in enumerate(rows):
        yield f"row {row}", others | cells


def _refuse_repeats(path: str | Path, header: Sequence[str]) -> None:
    # the usual case first: vectors have hundreds of columns
    if len(set(header)) < len(header):
        repeated = min(name for name in header if header.count(name) > 1)
        raise InputError(f"{path}: column {repeated!r} is there more than once")


_READERS: dict[str, Callable[[Path, Entry, Sequence[str]], Records]] = {
    "csv": _delimited,
    "tsv": _delimited,
    "jsonl": _json_lines,
    "parquet": _parquet,
}


def value_text(value: object) -> str:
    """A value that stands for something else as text: 1, true and "1" are written in many ways."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def choices_of(meanings: Mapping[str, Sequence[Any]], where: str) -> dict[str, str]:
    """What each value stands for, by its text. meanings: the values that a study lists of each.

    Raises InputError beginning with `where` for a value of two meanings.
    """
    choices: dict[str, str] = {}
    for meaning, values in meanings.items():
        for text in map(value_text, values):
            if choices.setdefault(text, meaning) != meaning:
                raise InputError(f"{where}: the value {text!r} is under both {choices[text]} and {meaning}")
    return choices


def identifier(cell: Any) -> str:
    """A cell that is a text or a whole number, as text. Raises ValueError for another."""
    return str(cell) if isinstance(cell, int) and not isinstance(cell, bool) else text_of(cell)
