"""Word vectors in Parquet: a column `word`, and either one column of lists or columns of numbers.

Read batch by batch. The order of columns of numbers is that of the dimensions.
"""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from unmask.associations.checked_vector import Row, Vector, checked
from unmask.errors import InputError
from unmask.user_files import faults_of

WORD = "word"
BATCH = 4096
"""Rows held at once."""


def rows(path: Path, wanted: Collection[str]) -> Iterator[Row]:
    """Rows of the wanted words. Raises InputError also for other columns, and where a number is null."""
    with faults_of(path, "not a readable Parquet file"), pq.ParquetFile(path) as file:
        _check_columns(path, file.schema_arrow)
        columns = [field for field in file.schema_arrow if field.name != WORD]
        listed = _is_list(columns[0].type)
        values = pa.array(sorted(wanted), pa.large_string())
        start = 0
        for batch in file.iter_batches(BATCH):
            batch.validate(full=True)
            words = batch.column(WORD).cast(pa.large_string())
            kept = np.flatnonzero(pc.is_in(words, values).to_numpy(zero_copy_only=False))
            for number in kept.tolist():
                place, word = f"row {start + number}", words[number].as_py()
                yield (
                    place,
                    word,
                    _vector(path, place, word, [batch.column(each.name)[number] for each in columns], listed),
                )
            start += len(batch)


def _check_columns(path: Path, schema: pa.Schema) -> None:
    names = schema.names
    if len(set(names)) < len(names):
        raise InputError(f"{path}: a column is there more than once ({', '.join(names)})")
    if WORD not in names or not _is_text(schema.field(WORD).type):
        raise InputError(f"{path}: no column {WORD!r} of texts (columns: {', '.join(names)})")
    others = [schema.field(name) for name in names if name != WORD]
    if len(others) == 1 and _is_list(others[0].type) and _is_number(others[0].type.value_type):
        return
    if not others or not all(_is_number(field.type) for field in others):
        told = ", ".join(f"{field.name} ({field.type})" for field in others)
        raise InputError(
            f"{path}: beside {WORD!r}, neither one column of lists of numbers nor columns of numbers ({told})"
        )


def _is_text(type_: pa.DataType) -> bool:
    value = type_.value_type if pa.types.is_dictionary(type_) else type_
    return bool(pa.types.is_string(value) or pa.types.is_large_string(value))


def _is_list(type_: pa.DataType) -> bool:
    return bool(
        pa.types.is_list(type_) or pa.types.is_large_list(type_) or pa.types.is_fixed_size_list(type_)
    )


def _is_number(type_: pa.DataType) -> bool:
    return bool(pa.types.is_floating(type_) or pa.types.is_integer(type_))


def _vector(path: Path, place: str, word: str, cells: Sequence[pa.Scalar], listed: bool) -> Vector:
    values = [cell.as_py() for cell in cells]
    if listed:
        values = values[0] or []
    if None in values:
        raise InputError(f"{path}: {place}: {word!r}: number {values.index(None) + 1} is null")
    return checked(path, place, word, np.array(values, dtype=np.float64))
