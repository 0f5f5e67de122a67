"""The numbers of one word's vector, checked."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from unmask.errors import InputError

Vector = npt.NDArray[np.float32]
Row = tuple[str, str, Vector]
"""Place in words, word, and its vector."""


def checked(path: Path, place: str, word: str, values: npt.NDArray[Any]) -> Vector:
    """Numbers as float32[width]. Raises InputError naming file, place and word unless they are finite real
    numbers, of which one is not zero: zeros have no direction."""
    where = f"{path}: {place}: {word!r}"
    if values.ndim != 1 or not values.size or values.dtype.kind not in "fiu":
        raise InputError(f"{where}: {values.dtype} of shape {values.shape}, not a row of numbers")
    with np.errstate(over="ignore"):
        vector = values.astype(np.float32)
    if not np.isfinite(vector).all():
        number = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise InputError(f"{where}: number {number + 1}, {values[number]}, is no finite number of 32 bits")
    if not vector.any():
        raise InputError(f"{where}: all of its numbers are 0, so it has no direction")
    return vector
