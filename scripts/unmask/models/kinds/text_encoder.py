"""Text encoders, which are fit for embedding."""

from pathlib import Path

import torch
from transformers import AutoModel, PretrainedConfig, PreTrainedModel, PreTrainedTokenizerBase
from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

from unmask.models.checking import Kind, load_config

_TITLE = "text encoder"

UNUSED = ("pooler.",)
"""Weights that checkpoints of masked language models lack, and that no embedding is made with."""


def last_hidden_state(network: PreTrainedModel, ids: torch.Tensor) -> torch.Tensor:
    """What an encoder of text makes of token ids without padding (batch × length): batch × length × width.

    Of a network with a decoder, what its encoder makes of them.
    """
    if network.config.is_encoder_decoder:
        network = network.get_encoder()
    hidden: torch.Tensor = network(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
    return hidden


def _read_text(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, directory: Path) -> torch.Tensor:
    """Hidden states, 1 × tokens × width. Raises ValueError for anything else."""
    ids = torch.tensor([tokenizer("a few words of a text")["input_ids"]])
    hidden = last_hidden_state(model, ids)
    if hidden.ndim != 3 or hidden.shape[:2] != ids.shape:
        raise ValueError(f"{tuple(hidden.shape)} of {ids.shape[1]} tokens, not a state of each")
    return hidden


def _fault(hidden: torch.Tensor, config: PretrainedConfig) -> str | None:
    return None if hidden.isfinite().all() else "with its config.json its hidden states are not finite"


KIND = Kind(
    _TITLE,
    purpose="embedding",
    unread="it makes no hidden states of a text alone",
    config=lambda directory, what: load_config(
        directory, what, MODEL_MAPPING_NAMES, _TITLE, "it cannot be loaded", "AutoModel"
    ),
    network=lambda config: AutoModel,
    probe=_read_text,
    fault=_fault,
    fast_tokenizer=True,
    unused=UNUSED,
)
check, describe = KIND.check, KIND.describe
