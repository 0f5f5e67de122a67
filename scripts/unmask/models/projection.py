"""The projection of the last hidden states that some debiased models have beside their weights."""

from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from unmask.errors import InputError
from unmask.models.directory import PROJECTION


def read_projection(directory: Path, width: int) -> Tensor:
    """What the last hidden states of a model are to be multiplied by, x → P x: width × width.

    Raises InputError where it is not what it should be.
    """
    path = directory / PROJECTION
    try:
        projection = load_file(path)["projection"].to(torch.float32)
    except (SafetensorError, OSError, KeyError) as error:
        raise InputError(f"{path}: no projection can be read from it ({error})") from None
    if projection.shape != (width, width):
        raise InputError(
            f"{path}: a projection of {tuple(projection.shape)}, the model needs {(width, width)}"
        )
    if not torch.isfinite(projection).all():
        raise InputError(f"{path}: has numbers that are not finite")
    return projection
