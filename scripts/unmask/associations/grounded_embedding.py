"""Vectors of texts that VisualBERT reads with regions of a picture.

The features of regions are in a .npz file with an array `{image}/features` (regions × features) for each
picture. Pooling `joint` is the first token of the text; `word` and `word-first` are of the word's tokens in
this text with its picture.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from unmask.errors import InputError
from unmask.files import faults_of
from unmask.models.embedding import Encoder, Span, Vectors, embed_with_regions, pool, tokenise

Ids = tuple[int, ...]


@dataclass(frozen=True)
class RegionFeatures:
    """The features of an open .npz file. width: features of a region that the encoder takes."""

    path: Path
    width: int
    arrays: Any

    def __getitem__(self, image: str) -> npt.NDArray[np.float32]:
        """The regions of a picture: regions × features.

        Raises InputError naming file and picture where it is not there, for features of another width, naming
        both, and for what are no finite numbers.
        """
        name = f"{image}/features"
        where = f"{self.path}: {image}"
        if name not in self.arrays.files:
            raise InputError(f"{where} is not there")
        try:
            values = np.asarray(self.arrays[name])
        except Exception as error:  # of zip, of numpy and of the system, by what is wrong with the bytes
            raise InputError(f"{where}: not readable ({error})") from None
        if values.ndim != 2 or not values.size or values.dtype.kind not in "fiu":
            raise InputError(f"{where}: {values.dtype} of shape {values.shape}, not a row for each region")
        if values.shape[1] != self.width:
            raise InputError(f"{where}: regions of {values.shape[1]} features, the model takes {self.width}")
        with np.errstate(over="ignore"):
            features = values.astype(np.float32)
        if not np.isfinite(features).all():
            raise InputError(f"{where}: has a number that is not finite in 32 bits")
        return features


def open_region_features(path: str | Path, width: int) -> RegionFeatures:
    """The features of a .npz file, each picture read when it is asked for; nothing pickled is read.

    Raises InputError naming the file where it is none.
    """
    path = Path(path)
    with faults_of(path):
        path.open("rb").close()
    try:
        arrays = np.load(path, allow_pickle=False)
    except Exception as error:  # as above
        raise InputError(f"{path}: not a readable .npz file ({error})") from None
    if not isinstance(arrays, np.lib.npyio.NpzFile):
        raise InputError(f"{path}: one array, not a .npz file")
    return RegionFeatures(path, width, arrays)


def embed_with_images(
    encoder: Encoder,
    texts: Sequence[str],
    words: Sequence[Span | None],
    images: Sequence[str],
    features: RegionFeatures,
    poolings: Sequence[str],
) -> dict[str, Vectors]:
    """A vector of every text with its picture, by each pooling: texts × width; NaN where a text has no word.

    words: where each text's word is. All pictures are checked before any text is read; the features of one
    batch are in memory at a time. Raises InputError as `tokenise`, `pool` and RegionFeatures do.
    """
    tokens = tokenise(encoder.tokenizer, texts, words, encoder.max_length)
    regions = {image: len(features[image]) for image in dict.fromkeys(images)}
    inputs = [(each.ids, image) for each, image in zip(tokens, images, strict=True)]

    def shape(each: tuple[Ids, str]) -> tuple[int, ...]:
        ids, image = each
        return len(ids) + regions[image], len(ids)

    def read(batch: Sequence[tuple[Ids, str]]) -> torch.Tensor:
        ids = torch.tensor([ids for ids, _ in batch]).to(encoder.device.torch)
        seen = torch.from_numpy(np.stack([features[image] for _, image in batch]))
        return embed_with_regions(encoder.network, ids, seen.to(encoder.device.torch))

    return pool(encoder, tokens, inputs, shape, read, poolings)
