"""Encoders of text with pictures: checking that a directory holds one fit for grounded tests, and describing
it."""

import logging
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from transformers import PretrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

from unmask.errors import InputError
from unmask.models.checking import (
    check_vocabulary,
    describe_files,
    first_line,
    load_network,
    load_tokenizer,
    refuse_characters_as_special,
)
from unmask.models.directory import files_of
from unmask.models.joint.pixels import load_processor, pixels_of
from unmask.models.joint.reading import PIXELS, Reading
from unmask.models.quiet import quiet_transformers
from unmask.models.seeing import KIND, config_of, longest_text

logger = logging.getLogger(__name__)


def check(directory: str | Path, name: str) -> None:
    """Load a model as embedding will, and raise InputError naming the model where it is not fit for it.

    Refused are: what is not a model directory; an architecture that reads no text together with a picture, as
    CLIP, whose text is not grounded; weights that are broken or missing, as those of BLIP's text encoder in a
    model that writes captions; a slow tokenizer, or one with more tokens than the model has embeddings; an
    image processor that is missing where the model sees pixels; settings with which it reads nothing.
    """
    directory = Path(directory)
    what = f"model {name}"
    files = files_of(directory, what)
    with quiet_transformers():
        config, reading = config_of(directory, what)
        tokenizer = _tokenizer(directory, what)
        processor = load_processor(directory, what) if reading.sees == PIXELS else None
        # in evaluation mode, as from_pretrained leaves it
        model = load_network(reading.network, directory, files, what, KIND)
    check_vocabulary(model, tokenizer, what)
    _check_reading(model, reading, tokenizer, processor, what)
    logger.info("%s: %s, which sees %s, is fit for grounded tests", what, config.model_type, reading.sees)


def _tokenizer(directory: Path, what: str) -> PreTrainedTokenizerBase:
    tokenizer = load_tokenizer(directory, what)
    if not tokenizer.is_fast:
        raise InputError(f"{what}: its tokenizer does not say where tokens are: a fast one is needed")
    refuse_characters_as_special(tokenizer, what)
    return tokenizer


def _check_reading(
    model: PreTrainedModel, reading: Reading, tokenizer: PreTrainedTokenizerBase, processor: Any, what: str
) -> None:
    """Raise InputError where the model does not read so much as a few words with a picture."""
    try:
        numbers, boxes = _made_picture(model.config, reading, processor)
        ids = torch.tensor([tokenizer("a few words of a text")["input_ids"]])
        with torch.inference_mode():
            found = reading.embed(model, ids, torch.from_numpy(numbers)[None], boxes)
    except Exception as error:  # whatever odd settings lead to in some architecture
        raise InputError(
            f"{what}: with its config.json it reads no text with a picture: {first_line(error)}"
        ) from None
    if not found.isfinite().all():
        raise InputError(f"{what}: with its config.json it gives numbers that are not finite")


def _made_picture(
    config: PretrainedConfig, reading: Reading, processor: Any
) -> tuple[np.ndarray[Any, np.dtype[np.float32]], torch.Tensor | None]:
    """The numbers of a picture, of pixels or of three regions, and the boxes of these."""
    draw = np.random.default_rng(0)
    if reading.features is None:
        dots = draw.integers(0, 256, (60, 90, 3), dtype=np.uint8)
        return pixels_of(processor, Image.fromarray(dots)), None
    boxes = torch.tensor([[[0.0, 0.0, 0.5, 0.5], [0.5, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0]]])
    return draw.random((3, reading.features(config)), dtype=np.float32), boxes


def describe(directory: str | Path) -> dict[str, Any]:
    """What a model directory holds: its manifest, the same on every machine.

    What `unmask.models.checking.describe_files` says, with sees: `regions` of a file of features, or
    `pixels`; max_length is of the text alone. Raises InputError where it is not the directory of such an
    encoder.
    """
    directory = Path(directory)
    what = f"model directory {directory}"
    files_of(directory, what)
    with quiet_transformers():
        config, reading = config_of(directory, what)
        tokenizer = _tokenizer(directory, what)
    return {
        **describe_files(reading.network, directory, config, tokenizer),
        "max_length": longest_text(config, tokenizer),
        "sees": reading.sees,
    }
