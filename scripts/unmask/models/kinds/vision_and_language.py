"""Encoders of text with pictures, which are fit for grounded tests."""

from pathlib import Path

import numpy as np
import torch
from PIL import Image
from transformers import PretrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

from unmask.models.checking import Kind
from unmask.models.joint.architectures import ARCHITECTURES, PIXELS, TITLE, config_of, longest_text
from unmask.models.joint.pixels import load_processor, pixels_of


def _check_processor(config: PretrainedConfig, directory: Path, what: str) -> None:
    """Raise InputError where the model sees pixels, and its image processor is missing."""
    if ARCHITECTURES[config.model_type].sees == PIXELS:
        load_processor(directory, what)


def _read_picture(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, directory: Path
) -> torch.Tensor:
    """The joint embedding, 1 × width, of a text with a synthetic picture: of pixels, or of three regions."""
    config = model.config
    reading, random = ARCHITECTURES[config.model_type], np.random.default_rng(0)
    boxes = None
    if reading.features is None:
        dots = random.integers(0, 256, (60, 90, 3), dtype=np.uint8)
        numbers = pixels_of(load_processor(directory, "model"), Image.fromarray(dots))
    else:
        boxes = torch.tensor([[[0.0, 0.0, 0.5, 0.5], [0.5, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0]]])
        numbers = random.random((3, reading.features(config)), dtype=np.float32)
    ids = torch.tensor([tokenizer("a few words of a text")["input_ids"]])
    return reading.embed(model, ids, torch.from_numpy(numbers)[None], boxes)


def _fault(embedding: torch.Tensor, config: PretrainedConfig) -> str | None:
    return None if embedding.isfinite().all() else "with its config.json it gives numbers that are not finite"


KIND = Kind(
    TITLE,
    purpose="grounded tests",
    unread="with its config.json it reads no text with a picture",
    # refuses CLIP, whose text is not grounded
    config=lambda directory, what: config_of(directory, what)[0],
    network=lambda config: ARCHITECTURES[config.model_type].network,
    probe=_read_picture,
    fault=_fault,
    # max_length is of the text alone; sees: `regions` of a file of features, or `pixels`
    facts=lambda config, tokenizer, what, entry: {
        "max_length": longest_text(config, tokenizer),
        "sees": ARCHITECTURES[config.model_type].sees,
    },
    check_files=_check_processor,
    fast_tokenizer=True,
)
check, describe = KIND.check, KIND.describe
