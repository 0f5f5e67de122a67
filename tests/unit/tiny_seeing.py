"""Tiny random encoders of text with pictures, for tests."""

from pathlib import Path
from typing import Any

import torch
from transformers import (
    AutoConfig,
    BlipForImageTextRetrieval,
    FlavaModel,
    LxmertModel,
    ViltModel,
    VisualBertModel,
)
from transformers.models.blip.image_processing_pil_blip import BlipImageProcessorPil
from transformers.models.flava.image_processing_pil_flava import FlavaImageProcessorPil
from transformers.models.vilt.image_processing_pil_vilt import ViltImageProcessorPil

from tiny_models import tiny_tokenizer

# its signature does not say `size_divisor`
_VILT: Any = ViltImageProcessorPil
_SQUARE = {"height": 32, "width": 32}
_PATCHES = {"image_size": 32, "patch_size": 8}
_SIZES: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 128,
    "initializer_range": 0.5,
}
_TOWER: dict[str, Any] = {**_SIZES, "num_attention_heads": 2}
_SEEING: dict[str, tuple[Any, dict[str, Any], Any]] = {
    "visual_bert": (VisualBertModel, {**_SIZES, "visual_embedding_dim": 12}, None),
    "lxmert": (
        LxmertModel,
        {**_SIZES, "l_layers": 2, "x_layers": 2, "r_layers": 1, "visual_feat_dim": 12},
        None,
    ),
    "vilt": (
        ViltModel,
        {**_SIZES, **_PATCHES},
        lambda: _VILT(size={"shortest_edge": 32}, size_divisor=8),
    ),
    "flava": (
        FlavaModel,
        {
            "text_config": _TOWER,
            "image_config": {**_TOWER, **_PATCHES},
            "multimodal_config": {**_TOWER, "hidden_size": 48},
            "initializer_range": 0.5,
        },
        lambda: FlavaImageProcessorPil(size=_SQUARE, crop_size=_SQUARE),
    ),
    "blip": (
        BlipForImageTextRetrieval,
        # weights of the default, 1e-10, would make all pictures the same
        {
            "text_config": {**_TOWER, "encoder_hidden_size": 32},
            "vision_config": {**_TOWER, **_PATCHES, "initializer_range": 0.3},
            "image_text_hidden_size": 16,
        },
        lambda: BlipImageProcessorPil(size=_SQUARE),
    ),
}
SEEING = tuple(_SEEING)
"""The encoders of text with pictures that `tiny_seeing` can make, by the type of their configuration."""


def tiny_seeing(architecture: str, directory: Path, seed: int = 0, **overrides: Any) -> Path:
    """Save a random encoder of text with pictures, its tokenizer and its image processor to `directory`.

    Joint embeddings of 32 numbers (flava: 48) of texts of up to 128 tokens, with regions of 12 features or
    pictures of 32 pixels. No weight is zero, or what it counts for would not be seen.
    """
    network, settings, processor = _SEEING[architecture]
    tokenizer = tiny_tokenizer("bert")
    text = {"vocab_size": len(tokenizer), "pad_token_id": tokenizer.pad_token_id}
    if "text_config" in settings:
        settings = {**settings, "text_config": {**settings["text_config"], **text}}
    else:
        settings = {**settings, **text}
    config = AutoConfig.for_model(architecture, **{**settings, **overrides})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = network(config)
        with torch.no_grad():
            for weights in model.parameters():
                if not weights.any():
                    weights.normal_(std=0.3)
    model.save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    if processor is not None:
        processor().save_pretrained(directory)
    return directory
