"""Pictures of grounded tests: a folder of them, or a file with features of their regions.

unmask.associations.region_files has the kinds of files of features. A box is left, top, right and bottom as
shares of the picture's width and height; only encoders that read boxes need them. Only what is asked for is
read.
"""

import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from PIL import Image

from unmask.associations.arrays import Numbers
from unmask.associations.region_files import READERS, checked_boxes, checked_features, refuse_missing
from unmask.errors import InputError
from unmask.models.checking import first_line
from unmask.models.joint.pixels import pixels_of
from unmask.user_files import faults_of

MOST_PIXELS = 1 << 26
"""Of a picture, 8192 × 8192 for instance: one of that size takes 200 MB when it is decoded."""


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
        refuse_missing(self.folder, [image for image in images if not (self.folder / image).is_file()])
        for image in images:
            yield image, Picture(self._pixels(image))

    def _pixels(self, image: str) -> Numbers:
        path = self.folder / image
        try:
            with warnings.catch_warnings():
                # Pillow warns of what is refused here
                warnings.simplefilter("ignore", Image.DecompressionBombWarning)
                opened = Image.open(path)
            with opened as picture:
                # so far only its header is read
                _refuse_large(path, picture)
                return pixels_of(self.processor, picture)
        except InputError:
            raise
        except Exception as error:  # of the system, of each format's decoder and of the processor
            raise InputError(f"{path}: not a picture that can be read ({first_line(error)})") from None


def _refuse_large(path: Path, picture: Image.Image) -> None:
    width, height = picture.size
    if width * height > MOST_PIXELS:
        raise InputError(
            f"{path}: a picture of {width} × {height} = {width * height / 1e6:.0f} million pixels; at most "
            f"{MOST_PIXELS / 1e6:.0f} million are decoded: make it smaller"
        )


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
        rows_of = READERS.get(self.path.suffix.lower())
        if rows_of is None:
            raise InputError(f"{self.path}: what kind of features are these? Known are {', '.join(READERS)}")
        with faults_of(self.path):
            self.path.open("rb").close()
        for image, values, boxes in rows_of(self.path, images, self.boxes):
            where = f"{self.path}: {image}"
            features = checked_features(where, values, self.width)
            yield (
                image,
                Picture(features, checked_boxes(where, boxes, len(features)) if self.boxes else None),
            )
