"""The tables that stages hand to each other: their schemas, and how they are written and read.

Every table is one Parquet file. A schema is stated here once, checked when a table is written
and again when it is read; facts about a table (source, versions, seeds) travel in its metadata.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from unmask.errors import InputError
from unmask.files import written_whole

STEREOTYPE, ANTISTEREOTYPE, UNRELATED = "stereotype", "antistereotype", "unrelated"
ROLES = (STEREOTYPE, ANTISTEREOTYPE, UNRELATED)
"""What a sentence is in its pair."""

STEREO, ANTISTEREO = "stereo", "antistereo"
DIRECTIONS = (STEREO, ANTISTEREO)
"""Whose stereotype a pair holds: `stereo` of a disadvantaged group, `antistereo` of an advantaged one."""

ORIGINAL, SHUFFLED = "original", "shuffled"

NONE, ONE_SHARED, ONE_MODIFIED, MODIFIED, ALL = "none", "one-shared", "one-modified", "modified", "all"
"""The maskings: what is hidden from a model. unmask.evidence.maskings says of each what it does."""

PUBLISHED, CORRECTED = "published", "corrected"
PROTOCOLS = (PUBLISHED, CORRECTED)

TIE, UNDEFINED = "tie", "undefined"
OUTCOMES = (STEREOTYPE, ANTISTEREOTYPE, TIE, UNDEFINED)
"""What a measure says of a pair; `undefined` where one side has nothing to score."""

_METADATA_KEY = b"unmask"


WORD = pa.dictionary(pa.int32(), pa.string())
"""A string out of few: stored as a dictionary."""


def field(name: str, type_: pa.DataType, nullable: bool = False) -> pa.Field:
    """A column, which has no nulls unless said."""
    return pa.field(name, type_, nullable=nullable)


PAIRS = pa.schema(
    [
        field("pair_id", pa.string()),
        field("bias_type", pa.string()),
        field("stereotype", pa.string()),
        field("antistereotype", pa.string()),
        field("unrelated", pa.string(), nullable=True),
        # stereo | antistereo; null where the source does not say
        field("direction", pa.string(), nullable=True),
        # one entry a validator: the bias type chosen, null for none; null where there were no validators
        field("ratings", pa.list_(pa.string()), nullable=True),
        field("context", pa.string(), nullable=True),
        field("target", pa.string(), nullable=True),
    ]
)
"""One row per pair of a benchmark, in the order of its source."""

EVIDENCE = pa.schema(
    [
        field("pair_id", WORD),
        field("role", WORD),
        # place in the scored sequence, special tokens counted, from 0
        field("position", pa.int16()),
        field("token_id", pa.int32()),
        field("token", WORD),
        field("special", pa.bool_()),
        # outside the tokens that the pair shares; null for unrelated sentences and shuffled ones
        field("modified", pa.bool_(), nullable=True),
        # natural logarithm of the probability of the right token
        field("log_prob", pa.float32()),
        # of the right token among the vocabulary, 1 = top
        field("rank", pa.int32()),
        # masking `none`: attention received, mean over layers, heads and every query …
        field("attention", pa.float32(), nullable=True),
        # … and the same over the queries that are not special tokens
        field("attention_content", pa.float32(), nullable=True),
        # masking `modified`: log-probability of this token, mean over all hidden positions
        field("cross_log_prob", pa.float32(), nullable=True),
        # variant `shuffled`: where the token stood in the original sequence
        field("source_position", pa.int16(), nullable=True),
    ]
)
"""One row per predicted token: every token where nothing is hidden, else the hidden ones."""

SCORES = pa.schema(
    [
        field("pair_id", WORD),
        field("measure", WORD),
        field("protocol", WORD),
        # score of each side; null where it has nothing to score
        field("stereotype", pa.float64(), nullable=True),
        field("antistereotype", pa.float64(), nullable=True),
        # stereotype - antistereotype, as compared (after any rounding of the protocol)
        field("margin", pa.float64(), nullable=True),
        field("outcome", WORD),
    ]
)
"""One row per pair, measure and protocol."""


def write_table(
    path: str | Path, rows: pd.DataFrame | pa.Table, schema: pa.Schema, metadata: Mapping[str, Any]
) -> None:
    """Write `rows` as Parquet, whole or not at all.

    `metadata` must be JSON-able; `read_metadata` gives it back.
    Raises ValueError where the rows do not fit the schema (a defect of the caller, not of its input).
    """
    if isinstance(rows, pd.DataFrame):
        unknown = set(rows.columns) ^ set(schema.names)
        if unknown:
            raise ValueError(f"columns do not fit the schema: {sorted(unknown)}")
        table = pa.Table.from_pandas(rows[schema.names], schema=schema, preserve_index=False)
    else:
        table = rows.select(schema.names).cast(schema)
    for field in schema:
        if not field.nullable and table.column(field.name).null_count:
            raise ValueError(f"column {field.name} has nulls")
    write_batches(path, [table], schema, metadata)


def write_batches(
    path: str | Path, batches: Iterable[pa.Table], schema: pa.Schema, metadata: Mapping[str, Any]
) -> None:
    """Write a table that comes in batches, each with exactly the schema, in their order.

    For tables too large for memory; else like `write_table`.
    """
    facts = json.dumps(dict(metadata), sort_keys=True, ensure_ascii=False).encode()
    described = schema.with_metadata({_METADATA_KEY: facts})
    with written_whole(path) as partial, pq.ParquetWriter(partial, described, compression="zstd") as writer:
        for batch in batches:
            writer.write_table(batch.replace_schema_metadata(described.metadata))


def read_table(path: str | Path, schema: pa.Schema) -> pd.DataFrame:
    """Read a table written by `write_table`; dictionary columns come as plain strings.

    Raises InputError where the file is no readable Parquet or has another schema.
    """
    try:
        table = pq.read_table(path)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path}: not a readable Parquet file ({error}); delete it and run again") from None
    if not table.schema.equals(schema):
        raise InputError(f"{path}: its columns are not those of this version; delete it and run again")
    plain = pa.schema(
        pa.field(f.name, f.type.value_type if pa.types.is_dictionary(f.type) else f.type) for f in schema
    )
    frame: pd.DataFrame = table.cast(plain).to_pandas()
    return frame


def read_metadata(path: str | Path) -> dict[str, Any]:
    """The facts that `write_table` put into a table's metadata."""
    stored = pq.read_schema(path).metadata or {}
    facts: dict[str, Any] = json.loads(stored.get(_METADATA_KEY, b"{}"))
    return facts
