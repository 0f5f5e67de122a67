"""Pictures of grounded tests: files with features of their regions, .npz or Parquet.

Each reader yields (image, features) of the pictures that are asked for alone: arrays as they are in the file,
to be checked. It raises InputError naming file and picture of what is not there, before any is read, and of
what is broken.

A .npz file has arrays `{image}/features` (regions × features), read one by one. Parquet has a row for each
picture: columns `image` (text) and `features` (lists of lists of numbers). Some rows are read at a time, and
only row groups that hold a picture that is asked for.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from unmask.associations.arrays import Array, Numbers, finite, is_list, opened_arrays
from unmask.close_names import no_column
from unmask.errors import InputError
from unmask.user_files import faults_of
from unmask.user_tables import check_text_column

Row = tuple[str, Array]
"""A picture, and its features."""

IMAGE, FEATURES = "image", "features"

AT_ONCE = 16
"""Rows of Parquet held at once: each is up to some hundreds of kilobytes."""


def _checked(where: str, values: Array, width: int) -> Numbers:
    """regions × features. Raises InputError beginning with `where` unless there are regions, of finite
    numbers, and `width` of each, which the model takes."""
    numbers = finite(f"{where}: {FEATURES}", values, 2)
    if numbers.shape[1] != width:
        raise InputError(f"{where}: regions of {numbers.shape[1]} features, the model takes {width}")
    return numbers


def _refuse_missing(path: Path, missing: Sequence[str]) -> None:
    """Raise InputError naming the file and the first of the pictures that it lacks, if any."""
    if missing:
        others = f" (nor are {len(missing) - 1} others)" if len(missing) > 1 else ""
        raise InputError(f"{path}: {missing[0]} is not there{others}")


def _npz(path: Path, images: Collection[str]) -> Iterator[Row]:
    """In the order in which they are asked for."""
    with opened_arrays(path) as arrays:
        names = set(arrays.names)
        _refuse_missing(path, [image for image in images if f"{image}/{FEATURES}" not in names])
        for image in images:
            yield image, arrays[f"{image}/{FEATURES}"]


def _parquet(path: Path, images: Collection[str]) -> Iterator[Row]:
    """In the order of the file. Raises InputError also where a picture has several rows."""
    with faults_of(path, "not a readable Parquet file"), pq.ParquetFile(path) as file:
        names = file.schema_arrow.names
        check_text_column(path, file.schema_arrow, IMAGE)
        if names.count(FEATURES) != 1:
            raise InputError(f"{path}: {no_column(FEATURES, names)}")
        groups = _groups(path, file, images)
        requested = set(images)
        for batch in file.iter_batches(AT_ONCE, row_groups=groups, columns=[IMAGE, FEATURES]):
            for number, image in enumerate(batch.column(IMAGE).to_pylist()):
                if image in requested:
                    yield image, _matrix(f"{path}: {image}: {FEATURES}", batch.column(FEATURES)[number])


def _groups(path: Path, file: pq.ParquetFile, images: Collection[str]) -> list[int]:
    """The row groups that hold a picture that is asked for."""
    requested = pa.array(sorted(images), pa.large_string())
    seen: set[str] = set()
    groups = []
    for group in range(file.num_row_groups):
        column = file.read_row_group(group, columns=[IMAGE]).column(IMAGE).cast(pa.large_string())
        here = column.filter(pc.is_in(column, requested)).to_pylist()
        for image in here:
            if image in seen:
                raise InputError(f"{path}: {image} is there twice")
            seen.add(image)
        if here:
            groups.append(group)
    _refuse_missing(path, [image for image in images if image not in seen])
    return groups


def _matrix(where: str, cell: pa.Scalar) -> Array:
    rows = getattr(cell, "values", None)
    if rows is None or not is_list(rows.type):
        raise InputError(f"{where}: {cell.type}, not a list of lists of numbers")
    lengths = pc.list_value_length(rows)
    if lengths.null_count or len(lengths.unique()) > 1:
        raise InputError(f"{where}: lists that are not equally long")
    numbers: Array = rows.flatten().to_numpy(zero_copy_only=False)
    return numbers.reshape(len(rows), -1) if len(rows) else numbers


READERS: Mapping[str, Callable[[Path, Collection[str]], Iterator[Row]]] = {
    ".npz": _npz,
    ".parquet": _parquet,
}
"""By the ending of a file's name."""


class Regions(Protocol):
    """Where regions of pictures are read from."""

    def read(self, images: Collection[str]) -> Iterator[tuple[str, Numbers]]:
        """Each picture once, regions × features, in whatever order is fastest."""


@dataclass(frozen=True)
class RegionFile:
    """Features of regions in a file. width: features of a region that the encoder takes."""

    path: Path
    width: int

    def read(self, images: Collection[str]) -> Iterator[tuple[str, Numbers]]:
        """Each picture once, regions × features, in whatever order is fastest.

        Raises InputError naming file and picture where one is not there, before any is read, for features of
        another width, naming both, and for numbers that are not finite.
        """
        rows_of = READERS.get(self.path.suffix.lower())
        if rows_of is None:
            raise InputError(f"{self.path}: what kind of features are these? Known are {', '.join(READERS)}")
        with faults_of(self.path):
            self.path.open("rb").close()
        for image, values in rows_of(self.path, images):
            yield image, _checked(f"{self.path}: {image}", values, self.width)
