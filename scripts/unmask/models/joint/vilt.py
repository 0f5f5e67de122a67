"""ViLT (Kim, Son & Kim 2021): patches of the picture follow the text in one sequence."""

from typing import Any

import torch
from torch import Tensor
from transformers import ViltModel

from unmask.models.joint.reading import Reading

_EVERY_PATCH = -1


def _embed(network: ViltModel, ids: Tensor, numbers: Tensor, boxes: Tensor | None) -> Tensor:
    """The last hidden state of the first token, which is the text's.

    transformers puts the patches in an order drawn at random, and where `max_image_length` is set leaves some
    out. Here they are put back, every one: the same bytes for each run and place in the batch.
    """
    pixels = torch.ones((len(numbers), *numbers.shape[2:]), dtype=torch.long, device=numbers.device)
    read: Any = network.embeddings.visual_embed
    patches, mask, (places, (_, across)) = read(numbers, pixels, max_image_length=_EVERY_PATCH)
    # the first is a token of its own, before the patches
    order = 1 + (places[..., 0] * across + places[..., 1]).argsort(1)
    order = torch.cat([torch.zeros_like(order[:, :1]), order], 1)
    hidden: Tensor = network(
        input_ids=ids,
        attention_mask=torch.ones_like(ids),
        token_type_ids=torch.zeros_like(ids),
        image_embeds=patches.gather(1, order[..., None].expand_as(patches)),
        pixel_mask=mask,
    ).last_hidden_state
    return hidden[:, 0]


READING = Reading(
    ViltModel,
    _embed,
    width=lambda config: int(config.hidden_size),
    patch=lambda config: config.patch_size,
)
