"""What files of features say of a picture's regions, checked."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from unmask.errors import InputError

Numbers = npt.NDArray[np.float32]
Array = npt.NDArray[Any]
Row = tuple[str, Array, Array | None]
"""A picture, its features and its boxes."""

FEATURES, BOXES = "features", "boxes"

OUTSIDE = 0.01
"""How far boxes may stand out of their picture, as detectors' do by rounding."""


def checked_features(where: str, values: Array, width: int) -> Numbers:
    """regions × features. Raises InputError beginning with `where` unless there are regions, of finite
    numbers, and `width` of each, which the model takes."""
    numbers = _checked(f"{where}: {FEATURES}", values)
    if numbers.shape[1] != width:
        raise InputError(f"{where}: regions of {numbers.shape[1]} features, the model takes {width}")
    return numbers


def checked_boxes(where: str, values: Array | None, regions: int) -> Numbers:
    """regions × 4: left, top, right, bottom. Raises InputError beginning with `where` unless each region has
    a box, of shares of the picture's width and height, that does not end before it begins."""
    if values is None:
        raise InputError(f"{where}: no {BOXES}, which the model reads")
    places = _checked(f"{where}: {BOXES}", values)
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


def _checked(where: str, values: Array) -> Numbers:
    """A matrix of float32. Raises InputError where it is none, is empty, or not all numbers are finite."""
    if values.ndim != 2 or not values.size or values.dtype.kind not in "fiu":
        raise InputError(
            f"{where}: {values.dtype} of shape {values.shape}, not a row of numbers for each region"
        )
    with np.errstate(over="ignore"):
        numbers = values.astype(np.float32)
    if not np.isfinite(numbers).all():
        region = int(np.flatnonzero(~np.isfinite(numbers).all(1))[0])
        raise InputError(f"{where}: region {region + 1} has a number that is not finite")
    return numbers


def refuse_missing(path: Path, missing: Sequence[str]) -> None:
    """Raise InputError naming the file, or folder, and the first of the pictures that it lacks, if any."""
    if missing:
        others = f" (nor are {len(missing) - 1} others)" if len(missing) > 1 else ""
        raise InputError(f"{path}: {missing[0]} is not there{others}")
