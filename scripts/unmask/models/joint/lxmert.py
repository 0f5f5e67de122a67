"""LXMERT (Tan & Bansal 2019): text and regions are read apart, then each looks at the other."""

import torch
from torch import Tensor
from transformers import LxmertModel

from unmask.models.joint.reading import Reading


def _embed(network: LxmertModel, ids: Tensor, numbers: Tensor, boxes: Tensor | None) -> Tensor:
    """The last hidden state of the text's first token, which has looked at the regions."""
    assert boxes is not None
    hidden: Tensor = network(
        input_ids=ids,
        attention_mask=torch.ones_like(ids),
        token_type_ids=torch.zeros_like(ids),
        visual_feats=numbers,
        visual_pos=boxes,
        visual_attention_mask=torch.ones(numbers.shape[:2], device=numbers.device),
    ).language_output
    return hidden[:, 0]


READING = Reading(
    LxmertModel,
    _embed,
    width=lambda config: int(config.hidden_size),
    features=lambda config: int(config.visual_feat_dim),
    boxes=True,
)
