"""FLAVA (Singh et al. 2022): encoders of text and picture, and one on top that reads both."""

import torch
from torch import Tensor
from transformers import FlavaModel

from unmask.models.joint.reading import Reading


def _embed(network: FlavaModel, ids: Tensor, numbers: Tensor, boxes: Tensor | None) -> Tensor:
    """The last hidden state of the first token of the encoder on top: its own, before the picture's."""
    hidden: Tensor = network(
        input_ids=ids,
        attention_mask=torch.ones_like(ids),
        token_type_ids=torch.zeros_like(ids),
        pixel_values=numbers,
    ).multimodal_embeddings
    return hidden[:, 0]


READING = Reading(
    FlavaModel,
    _embed,
    width=lambda config: int(config.multimodal_config.hidden_size),
    patch=lambda config: config.image_config.patch_size,
)
