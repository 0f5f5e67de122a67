"""Files of features of pictures' regions: .npz and Parquet, and what features and boxes have to be.

Each reader yields (image, features, boxes) of the pictures that are asked for alone: arrays as they are in
the file, to be checked. Boxes are None where they are not asked for or there are none. It raises InputError
naming file and picture of what is not there, before any is read, and of what is broken.

A .npz file has arrays `{image}/features` (regions × features) and `{image}/boxes` (regions × 4), read one by
one. Parquet has a row for each picture: columns `image` (text), `features` and `boxes` (lists of lists of
numbers). Some rows are read at a time, and only row groups that hold a picture that is asked for.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from unmask.associations.arrays import Array, Numbers, finite, is_list, opened_arrays
from unmask.close_names import no_column
from unmask.errors import InputError
from unmask.user_files import faults_of
from unmask.user_tables import check_text_column

Row = tuple[str, Array, Array | None]
"""A picture, its features and its boxes."""

IMAGE, FEATURES, BOXES = "image", "features", "boxes"

OUTSIDE = 0.01
"""How far boxes may stand out of their picture, as detectors' do by rounding."""

AT_ONCE = 16
"""Rows of Parquet held at once: each is up to some hundreds of kilobytes."""


def checked_features(where: str, values: Array, width: int) -> Numbers:
    """regions × features. Raises InputError beginning with `where` unless there are regions, of finite
    numbers, and `width` of each, which the model takes."""
    numbers = finite(f"{where}: {FEATURES}", values, 2)
    if numbers.shape[1] != width:
        raise InputError(f"{where}: regions of {numbers.shape[1]} features, the model takes {width}")
    return numbers


def checked_boxes(where: str, values: Array | None, regions: int) -> Numbers:
    """regions × 4: left, top, right, bottom. Raises InputError beginning with `where` unless each region has
    a box, of shares of the picture's width and height, that does not end before it begins."""
    if values is None:
        raise InputError(f"{where}: no {BOXES}, which the model reads")
    places = finite(f"{where}: {BOXES}", values, 2)
    if places.shape != (regions, 4):
        raise InputError(
            f"{where}: boxes of shape {places.shape} for {regions} regions, not 4 numbers for each"
        )
    low, high = float(places.min()), float(places.max())
    if low < -OUTSIDE or high > 1 + OUTSIDE:
        raise InputError(
            f"{where}: boxes from {low:g} to {high:g}: they are to be shares of the picture's width and "
            "height, from 0 to 1"
        )
    turned = np.flatnonzero((places[:, 2:] < places[:, :2]).any(1))
    if turned.size:
        region = int(turned[0])
        box = ", ".join(f"{share:g}" for share in places[region].tolist())
        raise InputError(
            f"{where}: the box of region {region + 1} ({box}) ends before it begins, as do {len(turned)} of "
            f"{regions}: are these left, top, right and bottom?"
        )
    return places


def refuse_missing(path: Path, missing: Sequence[str]) -> None:
    """Raise InputError naming the file, or folder, and the first of the pictures that it lacks, if any."""
    if missing:
        others = f" (nor are {len(missing) - 1} others)" if len(missing) > 1 else ""
        raise InputError(f"{path}: {missing[0]} is not there{others}")


def _npz(path: Path, images: Collection[str], boxes: bool) -> Iterator[Row]:
    """In the order in which they are asked for."""
    with opened_arrays(path) as arrays:
        names = set(arrays.names)
        refuse_missing(path, [image for image in images if f"{image}/{FEATURES}" not in names])
        for image in images:
            with_boxes = boxes and f"{image}/{BOXES}" in names
            yield (
                image,
                arrays[f"{image}/{FEATURES}"],
                arrays[f"{image}/{BOXES}"] if with_boxes else None,
            )


def _parquet(path: Path, images: Collection[str], boxes: bool) -> Iterator[Row]:
    """In the order of the file. Raises InputError also where a picture has several rows."""
    with faults_of(path, "not a readable Parquet file"), pq.ParquetFile(path) as file:
        names = file.schema_arrow.names
        check_text_column(path, file.schema_arrow, IMAGE)
        if names.count(FEATURES) != 1:
            raise InputError(f"{path}: {no_column(FEATURES, names)}")
        groups = _groups(path, file, images)
        columns = [IMAGE, FEATURES, *([BOXES] if boxes and BOXES in names else [])]
        requested = set(images)
        for batch in file.iter_batches(AT_ONCE, row_groups=groups, columns=columns):
            for number, image in enumerate(batch.column(IMAGE).to_pylist()):
                if image in requested:
                    arrays = {
                        name: _matrix(f"{path}: {image}: {name}", batch.column(name)[number])
                        for name in columns[1:]
                    }
                    yield image, arrays[FEATURES], arrays.get(BOXES)


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
    refuse_missing(path, [image for image in images if image not in seen])
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


READERS: Mapping[str, Callable[[Path, Collection[str], bool], Iterator[Row]]] = {
    ".npz": _npz,
    ".parquet": _parquet,
}
"""By the ending of a file's name."""
