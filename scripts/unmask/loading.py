"""Tables of many models, benchmarks or tasks as one, with what each row is of in the columns in front."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from unmask.errors import InputError
from unmask.tables import plain_schema, read_arrow, read_metadata, read_table, unreadable


def key_type(key: str) -> pa.DataType:
    """The type of a column of keys."""
    return pa.int64() if key == "seed" else pa.string()


Order = Mapping[str, Sequence[str]]
"""The values of keys in the order of the study, the key that is sorted by first in front."""


def load_tables(
    paths: Iterable[str | Path], schema: pa.Schema, *keys: str, order: Order | None = None
) -> pd.DataFrame:
    """Tables of one schema as one frame, with the columns `keys` in front and dictionary columns as strings.

    A key is a column of the tables themselves or, where all rows of a table have one value of it, a fact in
    its metadata. Rows are in the order of the paths; with `order` in the order of the values there, those
    with other values left out. Without rows the frame has the columns and types of the schema.
    Raises InputError as `read_table` does, and as `facts_by` does of the keys in the metadata.
    """
    of_file = [key for key in keys if key not in schema.names]
    every, orders = list(paths), order or {}
    labels = facts_by(every, *of_file) if of_file else [()] * len(every)
    files = [(path, dict(zip(of_file, of, strict=True))) for path, of in zip(every, labels, strict=True)]
    tables = [
        (read_arrow(path, schema), of)
        for path, of in files
        if all(value in orders.get(key, (value,)) for key, value in of.items())
    ]
    frame: pd.DataFrame = _in_order(with_keys(tables, plain_schema(schema), keys), orders).to_pandas()
    return frame


def with_keys(
    tables: Iterable[tuple[pa.Table, Mapping[str, str]]], schema: pa.Schema, keys: Sequence[str]
) -> pa.Table:
    """Tables as one, the columns `keys` in front; each comes with its values of keys that it lacks.

    schema: what all tables are cast to, without these keys.
    """
    lacking = [key for key in keys if key not in schema.names]
    whole = pa.schema([*((key, key_type(key)) for key in lacking), *schema])
    parts = [whole.empty_table()]
    for table, of in tables:
        rows = table.cast(schema)
        of_file = [pa.repeat(of[key], len(rows)).cast(key_type(key)) for key in lacking]
        parts.append(pa.table([*of_file, *rows.columns], schema=whole))
    return pa.concat_tables(parts).select([*keys, *(name for name in schema.names if name not in keys)])


def facts_by(paths: Iterable[str | Path], *keys: str) -> dict[tuple[str, ...], dict[str, Any]]:
    """The metadata of tables by their values of `keys`, in the order of the paths.

    Raises InputError where a table does not say one of them, or two tables are of the same.
    """
    facts: dict[tuple[str, ...], dict[str, Any]] = {}
    first: dict[tuple[str, ...], str] = {}
    for path in paths:
        of = _facts(path)
        if not set(keys) <= set(of):
            which = " and ".join(keys)
            raise InputError(f"{path}: does not say which {which} it is of; delete it and run again")
        values = tuple(str(of[key]) for key in keys)
        if values in facts:
            what = " and ".join(f"{key} {value}" for key, value in zip(keys, values, strict=True))
            raise InputError(f"{path}: a second table of {what}, besides {first[values]}")
        facts[values], first[values] = of, str(path)
    return facts


def paths_by(paths: Iterable[str | Path], *keys: str) -> dict[tuple[str, ...], str]:
    """The paths of tables by their values of `keys`; raises as `facts_by` does."""
    every = list(map(str, paths))
    return dict(zip(facts_by(every, *keys), every, strict=True))


def tables_by(paths: Iterable[str | Path], schema: pa.Schema, key: str) -> dict[str, pd.DataFrame]:
    """Tables by their value of one key; raises as `facts_by` and `read_table` do."""
    return {name: read_table(path, schema) for (name,), path in paths_by(paths, key).items()}


def shared_facts(paths: Iterable[str | Path], *keys: str) -> dict[str, Any]:
    """What the metadata of all tables say under `keys`; none where there is no table.

    Raises InputError where two tables say different things.
    """
    shared: dict[str, Any] = {}
    for path in paths:
        facts = _facts(path)
        for key in keys:
            if key in facts and shared.setdefault(key, facts[key]) != facts[key]:
                how = f"made with {key} {facts[key]}, others with {shared[key]}"
                raise InputError(f"{path}: {how}; run again")
    return shared


def _facts(path: str | Path) -> dict[str, Any]:
    try:
        return read_metadata(path)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (OSError, ValueError, pa.ArrowException) as error:
        raise unreadable(path, error) from None


def _in_order(table: pa.Table, order: Order) -> pa.Table:
    # sorts are stable, so the key to sort by first comes last
    for key in reversed(list(order)):
        places = pc.index_in(table[key], value_set=pa.array(order[key], pa.string()))
        table = table.filter(places.is_valid())
        table = table.take(pc.sort_indices(places.drop_null()))
    return table
