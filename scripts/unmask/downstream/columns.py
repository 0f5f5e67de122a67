"""Columns of the Parquet files that data sets are published in, checked as they are read."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from unmask.errors import InputError
from unmask.user_files import faults_of

TEXT, WHOLE, NUMBER = "text", "whole numbers", "numbers"
_IS = {
    TEXT: lambda type_: pa.types.is_string(type_) or pa.types.is_large_string(type_),
    WHOLE: pa.types.is_integer,
    NUMBER: lambda type_: pa.types.is_integer(type_) or pa.types.is_floating(type_),
}


def read_columns(paths: Sequence[Path], columns: Mapping[str, str]) -> pd.DataFrame:
    """Some columns of one or several Parquet files, one below the other.

    columns: what each has to hold, TEXT, WHOLE or NUMBER. Raises InputError naming the file, and the column
    or the row (counted from 0) of what does not fit: a column that is not there or holds something else, and
    a value that is null or no number.
    """
    parts = []
    for path in paths:
        with faults_of(path, "not a readable Parquet file"), pq.ParquetFile(path) as file:
            schema = file.schema_arrow
            for name, what in columns.items():
                if name not in schema.names:
                    raise InputError(f"{path}: no column {name!r} (columns: {', '.join(schema.names)})")
                if not _IS[what](schema.field(name).type):
                    raise InputError(f"{path}: column {name!r} holds {schema.field(name).type}, not {what}")
            table = file.read(columns=list(columns))
            table.validate(full=True)
        for name in columns:
            missing = table.column(name).is_null(nan_is_null=True).to_numpy()
            if missing.any():
                raise InputError(f"{path}: row {int(missing.argmax())}: nothing in column {name!r}")
        parts.append(table.to_pandas())
    rows: pd.DataFrame = pd.concat(parts, ignore_index=True)
    return rows


def is_parquet(path: Path) -> bool:
    """Whether a file is Parquet, whatever its name. Raises InputError where it cannot be read."""
    with faults_of(path), path.open("rb") as file:
        return file.read(4) == b"PAR1"


def numbered(rows: pd.DataFrame, column: str, known: int, what: str) -> pd.DataFrame:
    """The rows, whose numbers in a column are all below `known`. Raises InputError naming another's row."""
    wrong = ~rows[column].between(0, known - 1).to_numpy()
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(f"{what}: row {row}: {column} {rows[column].iloc[row]} is none of 0 to {known - 1}")
    return rows


def with_text(rows: pd.DataFrame, part: str, remarks: list[str]) -> pd.DataFrame:
    """The rows that have a text (and, where there are two, both); says in `remarks` how many have none.

    Raises InputError where none has.
    """
    empty = rows["text"].str.strip().eq("")
    if "second" in rows:
        empty |= rows["second"].str.strip().eq("")
    if empty.any():
        remarks.append(f"{int(empty.sum())} rows of {part} have no text and are left out")
    if empty.all():
        raise InputError(f"{part}: no row has a text")
    kept: pd.DataFrame = rows[~empty].reset_index(drop=True)
    return kept
