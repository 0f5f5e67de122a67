"""The hidden states of encoders of text, and of VisualBERT (Li et al. 2019), which reads regions, too."""

from pathlib import Path

import torch
import transformers
from torch import Tensor
from transformers import PretrainedConfig, PreTrainedModel, VisualBertModel

from unmask.errors import InputError
from unmask.models.checking import check_type, load_config

TITLE = "encoder of text with pictures"
MODEL_TYPE = "visual_bert"


def config_of(directory: Path, what: str) -> PretrainedConfig:
    """The configuration of such an encoder. Raises InputError beginning with `what` where it is none."""
    config = load_config(directory, what)
    check_type(config, what, {MODEL_TYPE}, TITLE, f"known is {MODEL_TYPE}")
    return config


def last_hidden_state(network: PreTrainedModel, ids: torch.Tensor) -> torch.Tensor:
    """What an encoder of text makes of token ids without padding (batch × length): batch × length × width.

    Of a network with a decoder, what its encoder makes of them.
    """
    if network.config.is_encoder_decoder:
        network = network.get_encoder()
    hidden: torch.Tensor = network(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
    return hidden


def embed_with_regions(network: VisualBertModel, ids: Tensor, regions: Tensor) -> Tensor:
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
