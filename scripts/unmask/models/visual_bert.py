"""VisualBERT (Li et al. 2019), which reads a text together with regions of a picture."""

from pathlib import Path

import torch
import transformers
from torch import Tensor
from transformers import PretrainedConfig, VisualBertModel

from unmask.errors import InputError
from unmask.models.checking import load_config

TITLE = "encoder of text with pictures"
MODEL_TYPE = "visual_bert"


def config_of(directory: Path, what: str) -> PretrainedConfig:
    """The configuration of such an encoder. Raises InputError beginning with `what` where it is none."""
    return load_config(directory, what, {MODEL_TYPE}, TITLE, f"known is {MODEL_TYPE}")


def embed(network: VisualBertModel, ids: Tensor, regions: Tensor) -> Tensor:
    """The last hidden states of each text's tokens: batch × tokens × width; the first token's is the joint
    embedding.

    ids: batch × tokens; regions: batch × regions × features. Regions follow the text in one sequence, as its
    second segment, and all are attended to. Raises InputError for a network whose regions bypass the
    transformer.
    """
    if network.config.bypass_transformer:
        # it would fail over a mask of one row, of which it takes another
        raise InputError(
            f"transformers {transformers.__version__} cannot run VisualBERT with bypass_transformer"
        )
    seen = torch.ones(regions.shape[:2], dtype=torch.long, device=regions.device)
    hidden: Tensor = network(
        input_ids=ids,
        attention_mask=torch.ones_like(ids),
        token_type_ids=torch.zeros_like(ids),
        visual_embeds=regions,
        visual_attention_mask=seen,
        visual_token_type_ids=seen,
    ).last_hidden_state
    return hidden[:, : ids.shape[1]]
