"""Pictures as networks of pixels take them."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageOps
from transformers import AutoImageProcessor

from unmask.errors import InputError
from unmask.models.checking import first_line
from unmask.models.directory import PROCESSORS
from unmask.models.quiet import quiet_transformers


def load_processor(directory: Path, what: str) -> Any:
    """What makes the pixel values of a model of its pictures; through Pillow, so that they are the same
    wherever torchvision is installed too.

    Raises InputError beginning with `what` where it cannot be loaded.
    """
    if not any((directory / name).is_file() for name in PROCESSORS):
        raise InputError(
            f"{what}: it sees pixels, but none of {', '.join(PROCESSORS)} says how pictures become these"
        )
    auto: Any = AutoImageProcessor
    try:
        with quiet_transformers():
            return auto.from_pretrained(
                directory, local_files_only=True, trust_remote_code=False, backend="pil"
            )
    except Exception as error:  # whatever settings it cannot use lead to
        raise InputError(f"{what}: its image processor cannot be loaded: {first_line(error)}") from None


def pixels_of(processor: Any, picture: Image.Image) -> npt.NDArray[np.float32]:
    """The pixel values of a picture, 3 × height × width: turned upright, in colours, then as the model's
    processor resizes, crops and normalises it. One picture at a time, so nothing is padded."""
    upright = ImageOps.exif_transpose(picture).convert("RGB")
    values = processor(images=upright, return_tensors="np")["pixel_values"][0]
    return np.ascontiguousarray(values, dtype=np.float32)
