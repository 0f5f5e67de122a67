"""Features in Parquet, a row for each picture: columns `image` (text), `features` and `boxes` (lists of lists
of numbers). Some rows are read at a time, and only row groups that hold a picture that is asked for."""

from collections.abc import Collection, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from unmask.associations.regions import BOXES, FEATURES, Array, Row, refuse_missing
from unmask.errors import InputError
from unmask.user_files import faults_of

IMAGE = "image"

AT_ONCE = 16
"""Rows held at once: each is up to some hundreds of kilobytes."""


def rows(path: Path, images: Collection[str], boxes: bool) -> Iterator[Row]:
    """In the order of the file. Raises InputError also where a picture has several rows."""
    with faults_of(path, "not a readable Parquet file"), pq.ParquetFile(path) as file:
        names = file.schema_arrow.names
        if names.count(IMAGE) != 1 or names.count(FEATURES) != 1:
            raise InputError(f"{path}: no columns {IMAGE} and {FEATURES} (columns: {', '.join(names)})")
        if not _is_text(file.schema_arrow.field(IMAGE).type):
            raise InputError(f"{path}: {IMAGE} is no column of texts ({file.schema_arrow.field(IMAGE).type})")
        groups = _groups(path, file, images)
        columns = [IMAGE, FEATURES, *([BOXES] if boxes and BOXES in names else [])]
        wanted = set(images)
        for batch in file.iter_batches(AT_ONCE, row_groups=groups, columns=columns):
            for number, image in enumerate(batch.column(IMAGE).to_pylist()):
                if image in wanted:
                    found = {
                        name: _matrix(f"{path}: {image}: {name}", batch.column(name)[number])
                        for name in columns[1:]
                    }
                    yield image, found[FEATURES], found.get(BOXES)


def _groups(path: Path, file: pq.ParquetFile, images: Collection[str]) -> list[int]:
    """The row groups that hold a picture that is asked for."""
    wanted = pa.array(sorted(images), pa.large_string())
    found: set[str] = set()
    groups = []
    for group in range(file.num_row_groups):
        column = file.read_row_group(group, columns=[IMAGE]).column(IMAGE).cast(pa.large_string())
        here = column.filter(pc.is_in(column, wanted)).to_pylist()
        for image in here:
            if image in found:
                raise InputError(f"{path}: {image} is there twice")
            found.add(image)
        if here:
            groups.append(group)
    refuse_missing(path, [image for image in images if image not in found])
    return groups


def _matrix(where: str, cell: pa.Scalar) -> Array:
    rows = getattr(cell, "values", None)
    if rows is None or not _is_list(rows.type):
        raise InputError(f"{where}: {cell.type}, not a list of lists of numbers")
    lengths = pc.list_value_length(rows)
    if lengths.null_count or len(lengths.unique()) > 1:
        raise InputError(f"{where}: lists that are not equally long")
    numbers: Array = rows.flatten().to_numpy(zero_copy_only=False)
    return numbers.reshape(len(rows), -1) if len(rows) else numbers


def _is_text(type_: pa.DataType) -> bool:
    value = type_.value_type if pa.types.is_dictionary(type_) else type_
    return bool(pa.types.is_string(value) or pa.types.is_large_string(value))


def _is_list(type_: pa.DataType) -> bool:
    return bool(
        pa.types.is_list(type_) or pa.types.is_large_list(type_) or pa.types.is_fixed_size_list(type_)
    )
