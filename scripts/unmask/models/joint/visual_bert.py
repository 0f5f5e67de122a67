"""VisualBERT (Li et al. 2019): regions follow the text in one sequence, as its second segment."""

import torch
import transformers
from torch import Tensor
from transformers import VisualBertModel

from unmask.errors import InputError
from unmask.models.joint.reading import Reading


def _embed(network: VisualBertModel, ids: Tensor, numbers: Tensor, boxes: Tensor | None) -> Tensor:
    """The last hidden state of the first token, which is the text's.

    Raises InputError for a network whose regions bypass the transformer.
    """
    if network.config.bypass_transformer:
        # it would fail over a mask of one row, of which it takes another
        raise InputError(
            f"transformers {transformers.__version__} cannot run VisualBERT with bypass_transformer"
        )
    seen = torch.ones(numbers.shape[:2], dtype=torch.long, device=numbers.device)
    hidden: Tensor = network(
        input_ids=ids,
        attention_mask=torch.ones_like(ids),
        token_type_ids=torch.zeros_like(ids),
        visual_embeds=numbers,
        visual_attention_mask=seen,
        visual_token_type_ids=seen,
    ).last_hidden_state
    return hidden[:, 0]


READING = Reading(
    VisualBertModel,
    _embed,
    width=lambda config: int(config.hidden_size),
    features=lambda config: int(config.visual_embedding_dim),
)
