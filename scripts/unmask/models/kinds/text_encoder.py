"""Text encoders: checking that a directory holds one fit for embedding texts, and describing it."""

import logging
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModel, PretrainedConfig, PreTrainedModel, PreTrainedTokenizerBase
from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

from unmask.errors import InputError
from unmask.models.checking import (
    check_vocabulary,
    describe_files,
    first_line,
    load_config,
    load_network,
    load_tokenizer,
    refuse_characters_as_special,
)
from unmask.models.directory import files_of
from unmask.models.quiet import quiet_transformers

logger = logging.getLogger(__name__)

_KIND = "text encoder"

UNUSED = ("pooler.",)
"""Weights that checkpoints of masked language models lack, and that no embedding is made with."""


def check(directory: str | Path, name: str) -> None:
    """Load a model as embedding will, and raise InputError naming the model where it is not fit for it.

    Refused are: what is not a model directory; an architecture that transformers does not have; weights that
    are broken or missing, a pooler's aside; a tokenizer that does not say where in a text its tokens are,
    that has more tokens than the model has embeddings, or that takes characters for special; a model that
    makes no hidden states of text, as those that need pictures too, or none that are finite.
    """
    directory = Path(directory)
    what = f"model {name}"
    files = files_of(directory, what)
    with quiet_transformers():
        config, tokenizer = _config(directory, what), _tokenizer(directory, what)
        model = load_network(AutoModel, directory, files, what, _KIND, UNUSED)
    _check_reading(model, tokenizer, what)
    vocabulary = check_vocabulary(model, tokenizer, what)
    logger.info("%s: %s with %d tokens is fit for embedding", what, config.model_type, vocabulary)


def last_hidden_state(network: PreTrainedModel, ids: torch.Tensor) -> torch.Tensor:
    """What an encoder of text makes of token ids without padding (batch × length): batch × length × width.

    Of a network with a decoder, what its encoder makes of them.
    """
    if network.config.is_encoder_decoder:
        network = network.get_encoder()
    hidden: torch.Tensor = network(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
    return hidden


def _config(directory: Path, what: str) -> PretrainedConfig:
    return load_config(directory, what, MODEL_MAPPING_NAMES, _KIND, "it cannot be loaded")


def _tokenizer(directory: Path, what: str) -> PreTrainedTokenizerBase:
    tokenizer = load_tokenizer(directory, what)
    if not tokenizer.is_fast:
        raise InputError(
            f"{what}: its {type(tokenizer).__name__} does not say where tokens are: add a tokenizer.json"
        )
    refuse_characters_as_special(tokenizer, what)
    return tokenizer


def _check_reading(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, what: str) -> None:
    try:
        ids = torch.tensor([tokenizer("a few words of a text")["input_ids"]])
        with torch.inference_mode():
            hidden = last_hidden_state(model, ids)
    except Exception as error:  # whatever a model that is no encoder of text makes of one
        raise InputError(f"{what}: it makes no hidden states of a text alone: {first_line(error)}") from None
    if hidden.ndim != 3 or hidden.shape[:2] != ids.shape:
        raise InputError(
            f"{what}: it makes {tuple(hidden.shape)} of {ids.shape[1]} tokens, not a state of each"
        )
    if not hidden.isfinite().all():
        raise InputError(f"{what}: with its config.json its hidden states are not finite")


def describe(directory: str | Path) -> dict[str, Any]:
    """What a model directory holds: its manifest, the same on every machine.

    What `unmask.models.checking.describe_files` says. Raises InputError where it is not a model directory.
    """
    directory = Path(directory)
    what = f"model directory {directory}"
    files_of(directory, what)
    with quiet_transformers():
        config, tokenizer = _config(directory, what), _tokenizer(directory, what)
    return describe_files(AutoModel, directory, config, tokenizer)
