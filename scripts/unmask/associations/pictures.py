"""Pictures of grounded tests: features of their regions in a file, or a folder of the pictures themselves.

A file of features is .npz, with the arrays `{image}/features` (regions × features) and `{image}/boxes`
(regions × 4) of every picture; or Parquet, with a row for each: columns `image`, and `features` and `boxes`,
lists of lists of numbers. A box is left, top, right and bottom as shares of the picture's width and height;
only encoders that read boxes need them. Only what is asked for is read.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from PIL import Image

from unmask.errors import InputError
from unmask.models.joint.pixels import pixels_of
from unmask.user_files import faults_of

Numbers = npt.NDArray[np.float32]

IMAGE, FEATURES, BOXES = "image", "features", "boxes"

OUTSIDE = 0.01
"""How far boxes may stand out of their picture, as detectors' do by rounding."""

ROWS = 16
"""Rows of Parquet held at once: each is up to some hundreds of kilobytes."""


@dataclass(frozen=True)
class Picture:
    """A picture as an encoder takes it. numbers: regions × features, or 3 × height × width; boxes: regions ×
    4, None where the encoder reads none."""

    numbers: Numbers
    boxes: Numbers | None = None

    def hidden(self) -> "Picture":
        """The same with nothing to be seen in it: features of 0; or pixels of 0, which after normalisation is
        the mean colour. Its size, and the number and place of its regions, are left."""
        return Picture(np.broadcast_to(np.float32(0), self.numbers.shape), self.boxes)


class Pictures(Protocol):
    """Where pictures are read from."""

    def read(self, images: Collection[str]) -> Iterator[tuple[str, Picture]]:
        """Each picture once, in whatever order is fastest. Raises InputError naming file and picture where
        one is not there, before any is read, or cannot be used."""


@dataclass(frozen=True)
class PictureFolder:
    """Pictures below a folder, as a processor of transformers makes pixel values of them."""

    folder: Path
    processor: Any

    def read(self, images: Collection[str]) -> Iterator[tuple[str, Picture]]:
        """As `Pictures` says, one at a time and in the order in which they are asked for."""
        _refuse_missing(self.folder, [image for image in images if not (self.folder / image).is_file()])
        for image in images:
            yield image, Picture(self._pixels(image))

    def _pixels(self, image: str) -> Numbers:
        path = self.folder / image
        try:
            with Image.open(path) as picture:
                picture.load()
                values = pixels_of(self.processor, picture)
        except Exception as error:  # of the system, of each format's decoder and of the processor
            raise InputError(f"{path}: not a picture that can be read ({_line(error)})") from None
        if not np.isfinite(values).all():
            raise InputError(f"{path}: its pixel values are not finite")
        return values


@dataclass(frozen=True)
class RegionFile:
    """Features of regions in a file. width: features of a region that the encoder takes; boxes: whether it
    reads these too."""

    path: Path
    width: int
    boxes: bool

    def read(self, images: Collection[str]) -> Iterator[tuple[str, Picture]]:
        """As `Pictures` says. Raises InputError also for features of another width, naming both, for numbers
        that are not finite, and for boxes that are not shares of the picture."""
        suffix = self.path.suffix.lower()
        if suffix not in (".npz", ".parquet"):
            raise InputError(f"{self.path}: what kind of features are these? Known are .npz, .parquet")
        with faults_of(self.path):
            self.path.open("rb").close()
        rows = self._of_npz(images) if suffix == ".npz" else self._of_parquet(images)
        for image, features, boxes in rows:
            yield image, self._picture(image, features, boxes)

    def _of_npz(self, images: Collection[str]) -> Iterator[tuple[str, Any, Any]]:
        try:
            file = np.load(self.path, allow_pickle=False)
        except Exception as error:  # of zip, of numpy and of the system, by what is wrong with the bytes
            raise InputError(f"{self.path}: not a readable .npz file ({_line(error)})") from None
        if not isinstance(file, np.lib.npyio.NpzFile):
            raise InputError(f"{self.path}: one array, not a .npz file")
        with file:
            there = set(file.files)
            _refuse_missing(self.path, [image for image in images if f"{image}/{FEATURES}" not in there])
            for image in images:
                boxes = f"{image}/{BOXES}"
                yield (
                    image,
                    self._array(file, image, FEATURES),
                    self._array(file, image, BOXES) if self.boxes and boxes in there else None,
                )

    def _array(self, file: np.lib.npyio.NpzFile, image: str, name: str) -> npt.NDArray[Any]:
        try:
            return np.asarray(file[f"{image}/{name}"])
        except Exception as error:  # as above: only now are its bytes read
            raise InputError(f"{self.path}: {image}: {name}: not readable ({_line(error)})") from None

    def _of_parquet(self, images: Collection[str]) -> Iterator[tuple[str, Any, Any]]:
        columns = [IMAGE, FEATURES, *([BOXES] if self.boxes else [])]
        kind = "not a readable Parquet file"
        with faults_of(self.path, kind), pq.ParquetFile(self.path) as file:
            names = file.schema_arrow.names
            if names.count(IMAGE) != 1 or names.count(FEATURES) != 1:
                raise InputError(
                    f"{self.path}: no columns {IMAGE} and {FEATURES} (columns: {', '.join(names)})"
                )
            columns = [name for name in columns if name in names]
            groups = self._groups(file, images)
            for batch in file.iter_batches(ROWS, row_groups=groups, columns=columns):
                for row, image in enumerate(batch.column(IMAGE).to_pylist()):
                    if image in images:
                        cells = {name: batch.column(name)[row] for name in columns}
                        boxes = cells.get(BOXES)
                        yield (
                            image,
                            self._matrix(image, FEATURES, cells[FEATURES]),
                            None if boxes is None else self._matrix(image, BOXES, boxes),
                        )

    def _groups(self, file: pq.ParquetFile, images: Collection[str]) -> list[int]:
        """The row groups that hold a picture that is asked for, so that the others are not read."""
        wanted = pa.array(sorted(images), pa.large_string())
        found: set[str] = set()
        groups = []
        for group in range(file.num_row_groups):
            column = file.read_row_group(group, columns=[IMAGE]).column(IMAGE)
            try:
                column = column.cast(pa.large_string())
            except pa.ArrowInvalid:
                raise InputError(f"{self.path}: {IMAGE} is no column of texts ({column.type})") from None
            here = column.filter(pc.is_in(column, wanted)).to_pylist()
            for image in here:
                if image in found:
                    raise InputError(f"{self.path}: {image} is there twice")
                found.add(image)
            if here:
                groups.append(group)
        _refuse_missing(self.path, [image for image in images if image not in found])
        return groups

    def _matrix(self, image: str, name: str, cell: pa.Scalar) -> npt.NDArray[Any]:
        try:
            rows = [np.asarray(row) for row in cell.as_py() or []]
            return np.stack(rows) if rows else np.empty((0, 0))
        except (TypeError, ValueError):
            raise InputError(f"{self.path}: {image}: {name}: not lists of equal length") from None

    def _picture(self, image: str, features: npt.NDArray[Any], boxes: npt.NDArray[Any] | None) -> Picture:
        where = f"{self.path}: {image}"
        numbers = _checked(f"{where}: {FEATURES}", features)
        if numbers.shape[1] != self.width:
            raise InputError(f"{where}: regions of {numbers.shape[1]} features, the model takes {self.width}")
        if not self.boxes:
            return Picture(numbers)
        if boxes is None:
            raise InputError(f"{where}: no {BOXES}, which the model reads")
        places = _checked(f"{where}: {BOXES}", boxes)
        if places.shape != (len(numbers), 4):
            raise InputError(
                f"{where}: boxes of shape {places.shape} for {len(numbers)} regions, not 4 of each"
            )
        low, high = float(places.min()), float(places.max())
        if low < -OUTSIDE or high > 1 + OUTSIDE:
            raise InputError(
                f"{where}: boxes from {low:g} to {high:g}: they are to be shares of the picture's width and "
                "height, from 0 to 1"
            )
        return Picture(numbers, places)


def _checked(where: str, values: npt.NDArray[Any]) -> Numbers:
    """A matrix of float32. Raises InputError where it is none, is empty, or not all numbers are finite."""
    if values.ndim != 2 or not values.size or values.dtype.kind not in "fiu":
        raise InputError(
            f"{where}: {values.dtype} of shape {values.shape}, not a row of numbers of each region"
        )
    with np.errstate(over="ignore"):
        numbers = values.astype(np.float32)
    if not np.isfinite(numbers).all():
        region = int(np.flatnonzero(~np.isfinite(numbers).all(1))[0])
        raise InputError(f"{where}: region {region + 1} has a number that is not finite")
    return numbers


def _refuse_missing(path: Path, missing: Sequence[str]) -> None:
    if missing:
        others = f" (nor are {len(missing) - 1} others)" if len(missing) > 1 else ""
        raise InputError(f"{path}: {missing[0]} is not there{others}")


def _line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
