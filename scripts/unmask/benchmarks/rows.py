"""Rows of a table that a user gives (csv, tsv, jsonl, parquet), each with its place in words.

type: csv | tsv | jsonl | parquet  where the file's name does not say
delimiter: ";"                     between the fields of csv and tsv, if it is another
quotes: false                      quote signs in csv and tsv are ordinary text
"""

import io
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

import pyarrow.parquet as pq

from unmask.benchmarks.delimited import read_delimited
from unmask.errors import InputError
from unmask.strict import json_of
from unmask.user_files import faults_of, read_text

Rows = Iterator[tuple[str, dict[str, Any]]]


def read_rows(path: Path, entry: Mapping[str, Any]) -> Rows:
    """Yield the place and the cells by column of every row, read as the entry says.

    Raises InputError naming the file, and the row that cannot be read.
    """
    return _TYPES[_type(path, entry)](path, entry)


def _type(path: Path, entry: Mapping[str, Any]) -> str:
    """What the entry says, else what the source's or the file's name ends in."""
    names = [urlsplit(entry.get("url") or "").path, str(entry.get("path") or ""), path.name]
    types = [entry.get("type"), *(PurePosixPath(name).suffix[1:].lower() for name in names)]
    for type_ in types:
        if type_ in _TYPES:
            return str(type_)
    raise InputError(f"{path}: what kind of table is it? Set type to one of {', '.join(_TYPES)}")


def _read_text_table(default_delimiter: str) -> Callable[[Path, Mapping[str, Any]], Rows]:
    def rows(path: Path, entry: Mapping[str, Any]) -> Rows:
        delimiter = str(entry.get("delimiter", default_delimiter))
        if len(delimiter) != 1:
            raise InputError(f"{path}: delimiter must be one character, not {delimiter!r}")
        return read_delimited(path, delimiter, quotes=bool(entry.get("quotes", True)))

    return rows


def _read_jsonl(path: Path, entry: Mapping[str, Any]) -> Rows:
    row = -1
    for line, text in enumerate(io.StringIO(read_text(path), newline=None), start=1):
        if not text.strip():
            continue
        row += 1
        place = f"row {row} (line {line})"
        try:
            fields = json_of(text)
        except ValueError as error:
            raise InputError(f"{path}: {place}: {error}") from None
        if not isinstance(fields, dict):
            raise InputError(f"{path}: {place}: not a JSON object")
        yield place, fields


def _read_parquet(path: Path, entry: Mapping[str, Any]) -> Rows:
    with faults_of(path, "not a readable Parquet file"), pq.ParquetFile(path) as file:
        names = file.schema_arrow.names
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise InputError(f"{path}: column {repeated[0]!r} is there more than once")
        table = file.read()
        table.validate(full=True)
    for number in range(len(table)):
        try:
            (fields,) = table.slice(number, 1).to_pylist()
        except (ValueError, OverflowError) as error:
            # a date that no calendar has, and their like
            raise InputError(f"{path}: row {number}: a value in it cannot be read ({error})") from None
        yield f"row {number}", fields


_TYPES: dict[str, Callable[[Path, Mapping[str, Any]], Rows]] = {
    "csv": _read_text_table(","),
    "tsv": _read_text_table("\t"),
    "jsonl": _read_jsonl,
    "parquet": _read_parquet,
}
