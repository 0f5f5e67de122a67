"""The tables that stages hand to each other: their schemas, and how they are written and read.

Every table is one Parquet file. A schema is stated here once, checked when a table is written
and again when it is read; facts about a table (source, versions, seeds) travel in its metadata.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from unmask.columns import columns_of
from unmask.errors import InputError
from unmask.files import faults_of, written_whole

_METADATA_KEY = b"unmask"
_MEANING_KEY = b"meaning"

ROW_GROUP = 1 << 17
"""Rows of a row group, which is made and read in one piece."""

UNREADABLE = "not a readable Parquet file; delete it and run again"
"""What is said of a table of ours that is none, or a broken one."""

TYPES = {
    # a string out of few
    "word": pa.dictionary(pa.int32(), pa.string()),
    "text": pa.string(),
    "long_text": pa.large_string(),
    "text[]": pa.list_(pa.string()),
    "bool": pa.bool_(),
    "i16": pa.int16(),
    "i32": pa.int32(),
    "i64": pa.int64(),
    "f32": pa.float32(),
    "f64": pa.float64(),
    "f32[]": pa.list_(pa.float32()),
    "f64[]": pa.list_(pa.float64()),
}
"""The types of columns by the names that `schema` takes."""


def schema(text: str) -> pa.Schema:
    """A table's schema from its columns as text (unmask.columns); a type that ends in `?` allows nulls.

    What a column means, with its unit, stands in the Parquet file, too. A table of other meanings is of the
    same schema, and a change of them makes no table anew (unmask.digests).
    """
    return pa.schema(
        pa.field(name, TYPES[type_.rstrip("?")], type_.endswith("?"), {_MEANING_KEY: meaning.encode()})
        for name, type_, meaning in columns_of(text)
    )


def meaning_of(column: pa.Field) -> str:
    """The meaning that `schema` gave a column, or else what it is called: the model."""
    meaning: bytes = (column.metadata or {}).get(_MEANING_KEY, f"the {column.name}".encode())
    return meaning.decode()


def write_table(
    path: str | Path, rows: pd.DataFrame | pa.Table, schema: pa.Schema, metadata: Mapping[str, Any]
) -> None:
    """Write `rows` as Parquet, whole or not at all.

    The same rows make the same bytes, whatever pieces they are in. `metadata` must be JSON-able;
    `read_metadata` gives it back.
    Raises ValueError where the rows do not fit the schema (a defect of the caller, not of its input).
    """
    facts = json.dumps(dict(metadata), sort_keys=True, ensure_ascii=False).encode()
    table = as_table(rows, schema).replace_schema_metadata({_METADATA_KEY: facts})
    # the bytes of a float apart: exponents are alike, so they compress
    encodings = {field.name: "BYTE_STREAM_SPLIT" for field in schema if pa.types.is_floating(field.type)}
    # what a text shares with the one before is left out
    encodings |= {field.name: "DELTA_BYTE_ARRAY" for field in schema if pa.types.is_string(field.type)}
    # one rule for every table; docs/running.md#disk says how large evidence is
    options: dict[str, Any] = {
        "compression": "zstd",
        # higher levels take longer to write and save little
        "compression_level": 6,
        "use_dictionary": [field.name for field in schema if pa.types.is_dictionary(field.type)] or False,
        "column_encoding": encodings or None,
    }
    with written_whole(path) as partial, pq.ParquetWriter(partial, table.schema, **options) as writer:
        for start in range(0, len(table), ROW_GROUP):
            # in one piece, each dictionary with the words of these rows in order of appearance
            group = table.slice(start, ROW_GROUP).cast(plain_schema(schema)).combine_chunks()
            writer.write_table(group.cast(table.schema))


def as_table(rows: pd.DataFrame | pa.Table, schema: pa.Schema) -> pa.Table:
    """Rows as a table of exactly this schema. Raises ValueError where they do not fit."""
    if isinstance(rows, pd.DataFrame):
        if unknown := set(rows.columns) ^ set(schema.names):
            raise ValueError(f"columns do not fit the schema: {sorted(unknown)}")
        table = pa.Table.from_pandas(rows[schema.names], schema=schema, preserve_index=False)
    else:
        table = rows.select(schema.names).cast(schema)
    for field in schema:
        if not field.nullable and table.column(field.name).null_count:
            raise ValueError(f"column {field.name} has nulls")
    return table


def read_table(path: str | Path, schema: pa.Schema) -> pd.DataFrame:
    """Read a table written by `write_table`; dictionary columns come as plain strings.

    Raises InputError where the file is not readable Parquet or has another schema.
    """
    frame: pd.DataFrame = read_arrow(path, schema).cast(plain_schema(schema)).to_pandas()
    return frame


def read_arrow(path: str | Path, schema: pa.Schema, columns: Sequence[str] | None = None) -> pa.Table:
    """The same as it is stored, of all columns or of some. Raises InputError as `read_table` does."""
    with faults_of(path, UNREADABLE), pq.ParquetFile(path) as file:
        if not file.schema_arrow.equals(schema):
            raise InputError(f"{path}: its columns are not those of this version; delete it and run again")
        return file.read(columns)


def plain_schema(schema: pa.Schema) -> pa.Schema:
    """The schema with dictionary columns as plain strings."""
    return pa.schema(f.with_type(pa.string()) if pa.types.is_dictionary(f.type) else f for f in schema)


def read_metadata(path: str | Path) -> dict[str, Any]:
    """The facts that `write_table` put into a table's metadata. Raises InputError where it cannot be read."""
    with faults_of(path, UNREADABLE):
        stored = pq.read_schema(path).metadata or {}
    facts: dict[str, Any] = json.loads(stored.get(_METADATA_KEY, b"{}"))
    return facts


def framed(
    rows: pd.DataFrame | Sequence[pd.DataFrame] | Sequence[Mapping[str, object]], schema: pa.Schema
) -> pd.DataFrame:
    """Rows, or frames of rows, as one frame with the columns of `schema` alone; what is absent is null."""
    if not isinstance(rows, pd.DataFrame):
        frames = [each for each in rows if isinstance(each, pd.DataFrame)]
        rows = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(list(rows))
    # a column of nulls alone would be one of floats
    words = {field.name: "str" for field in schema if pa.types.is_dictionary(field.type)}
    return rows.reindex(columns=schema.names).astype(words)
