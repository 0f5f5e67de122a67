"""Features in a .npz file of numpy: arrays `{image}/features` (regions × features) and `{image}/boxes`
(regions × 4). Arrays are read one by one, and nothing pickled is."""

from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np

from unmask.associations.regions import BOXES, FEATURES, Array, Row, refuse_missing
from unmask.errors import InputError
from unmask.models.checking import first_line


def rows(path: Path, images: Collection[str], boxes: bool) -> Iterator[Row]:
    """In the order in which they are asked for."""
    try:
        file = np.load(path, allow_pickle=False)
    except Exception as error:  # of zip, of numpy and of the system, by what is wrong with the bytes
        raise InputError(f"{path}: not a readable .npz file ({first_line(error)})") from None
    if not isinstance(file, np.lib.npyio.NpzFile):
        raise InputError(f"{path}: one array, not a .npz file")
    with file:
        there = set(file.files)
        refuse_missing(path, [image for image in images if f"{image}/{FEATURES}" not in there])
        for image in images:
            read_boxes = boxes and f"{image}/{BOXES}" in there
            yield (
                image,
                _array(path, file, f"{image}/{FEATURES}"),
                _array(path, file, f"{image}/{BOXES}") if read_boxes else None,
            )


def _array(path: Path, file: np.lib.npyio.NpzFile, name: str) -> Array:
    try:
        return np.asarray(file[name])
    except Exception as error:  # as above: only now are its bytes read
        raise InputError(f"{path}: {name}: not readable ({first_line(error)})") from None
