"""BLIP (Li et al. 2022), trained to tell whether text and picture go together: its text looks at the picture.

The class is BlipForImageTextRetrieval. BlipModel, which AutoModel would take, has a text tower of its own
that looks at no picture, and that such a checkpoint has no weights of.
"""

from typing import Any

import torch
from torch import Tensor
from transformers import BlipForImageTextRetrieval

from unmask.models.joint.reading import Reading


def _embed(network: BlipForImageTextRetrieval, ids: Tensor, numbers: Tensor, boxes: Tensor | None) -> Tensor:
    """The last hidden state of the text's first token: what its own head for matching reads.

    Both halves are run here, as the whole does with `use_itm_head`, because that has the picture's mask on
    the CPU wherever the network is. Raises ValueError for pictures of another size than the network's: it
    would take the places of their patches for others.
    """
    config: Any = network.config
    edge = config.vision_config.image_size
    if numbers.shape[2:] != (edge, edge):
        height, width = numbers.shape[2:]
        raise ValueError(f"pictures of {height} × {width} pixels, and the network takes {edge} × {edge}")
    picture = network.vision_model(pixel_values=numbers).last_hidden_state
    hidden: Tensor = network.text_encoder(
        input_ids=ids,
        attention_mask=torch.ones_like(ids),
        encoder_hidden_states=picture,
        encoder_attention_mask=torch.ones(picture.shape[:2], dtype=torch.long, device=picture.device),
    ).last_hidden_state
    return hidden[:, 0]


READING = Reading(
    BlipForImageTextRetrieval,
    _embed,
    width=lambda config: int(config.text_config.hidden_size),
    patch=lambda config: config.vision_config.patch_size,
)
