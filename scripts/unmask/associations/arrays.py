"""Arrays of numbers in files that a user gives, .npz and Parquet, and what numbers have to be."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from unmask.errors import InputError
from unmask.user_files import faults_of

Array = npt.NDArray[Any]
Numbers = npt.NDArray[np.float32]

_SHAPES = {1: "a row of numbers", 2: "a row of numbers for each region"}


def finite(where: str, values: Array, dimensions: int) -> Numbers:
    """Real numbers of so many dimensions (1 or 2) as float32.

    Raises InputError beginning with `where` where they are something else, are none, or one of them is not
    finite in 32 bits.
    """
    if values.ndim != dimensions or not values.size or values.dtype.kind not in "fiu":
        raise InputError(f"{where}: {values.dtype} of shape {values.shape}, not {_SHAPES[dimensions]}")
    with np.errstate(over="ignore"):
        numbers = values.astype(np.float32)
    if not np.isfinite(numbers).all():
        place = tuple(np.argwhere(~np.isfinite(numbers))[0].tolist())
        number = ".".join(str(each + 1) for each in place)
        raise InputError(f"{where}: number {number}, {values[place]}, is no finite number of 32 bits")
    return numbers


class Arrays:
    """The arrays of an open .npz file by their names; each is read when it is asked for."""

    def __init__(self, path: Path, file: np.lib.npyio.NpzFile) -> None:
        self._path, self._file = path, file
        self.names: Sequence[str] = file.files

    def __getitem__(self, name: str) -> Array:
        """An array. Raises InputError naming file and array where it cannot be read."""
        try:
            return np.asarray(self._file[name])
        except Exception as error:  # of zip, of numpy and of the system, by what is wrong with the bytes
            raise InputError(f"{self._path}: {name}: not readable ({error})") from None


@contextmanager
def opened_arrays(path: Path) -> Iterator[Arrays]:
    """The arrays of a .npz file; nothing pickled is read.

    Raises InputError naming the file where it is none, and where an array is there twice.
    """
    with faults_of(path):
        path.open("rb").close()
    try:
        file = np.load(path, allow_pickle=False)
    except Exception as error:  # as above
        raise InputError(f"{path}: not a readable .npz file ({error})") from None
    if not isinstance(file, np.lib.npyio.NpzFile):
        raise InputError(f"{path}: one array, not a .npz file")
    with file:
        if len(set(file.files)) < len(file.files):
            repeated = next(name for place, name in enumerate(file.files) if name in file.files[:place])
            raise InputError(f"{path}: {repeated}: is there twice")
        yield Arrays(path, file)


def is_list(type_: pa.DataType) -> bool:
    """Whether a column of Parquet holds lists."""
    return bool(
        pa.types.is_list(type_) or pa.types.is_large_list(type_) or pa.types.is_fixed_size_list(type_)
    )


def is_number(type_: pa.DataType) -> bool:
    """Whether a column of Parquet holds numbers."""
    return bool(pa.types.is_floating(type_) or pa.types.is_integer(type_))
