"""Masked language models: checking that a directory holds one fit for scoring, and describing it."""

import logging
import re
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForMaskedLM, PretrainedConfig, PreTrainedModel, PreTrainedTokenizerBase
from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES

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

_KIND = "masked language model"

_WORD = re.compile(r"(##|[▁Ġ ])?[^\W_]+(['’-][^\W_]+)*")
"""An ordinary word, with what tokenizers put before one. A mask token has brackets or some other mark."""

_OTHER_SPECIAL = ("pad", "unk", "cls", "sep", "bos", "eos")


def check(directory: str | Path, name: str) -> None:
    """Load a model as scoring will, and raise InputError naming the model where it is not fit for it.

    Refused are: what is not a model directory; an architecture that transformers has no masked-LM head for;
    a decoder; no mask token, or one that is a word or another special token too; weights that are truncated,
    of other shapes, not floating-point numbers, not finite, or missing, so that transformers would draw them
    at random (a tied decoder and buffers are not weights of their own); a tokenizer with more tokens than the
    model has embeddings, or that takes characters for special; settings with which the model reads nothing.
    """
    directory = Path(directory)
    what = f"model {name}"
    files = files_of(directory, what)
    with quiet_transformers():
        config = _config(directory, what)
        tokenizer = _tokenizer(directory, what)
        model = load_network(AutoModelForMaskedLM, directory, files, what, _KIND)
    vocabulary = check_vocabulary(model, tokenizer, what)
    _check_reading(model, tokenizer, what)
    logger.info("%s: %s with %d tokens is fit for scoring", what, config.model_type, vocabulary)


def _config(directory: Path, what: str) -> PretrainedConfig:
    config = load_config(
        directory, what, MODEL_FOR_MASKED_LM_MAPPING_NAMES, _KIND, "only masked language models can be scored"
    )
    if getattr(config, "is_decoder", False) and not config.is_encoder_decoder:
        raise InputError(
            f"{what}: it is a decoder (is_decoder in config.json) and cannot see what follows a mask"
        )
    return config


def _tokenizer(directory: Path, what: str) -> PreTrainedTokenizerBase:
    tokenizer = load_tokenizer(directory, what)
    if tokenizer.mask_token_id is None:
        raise InputError(f"{what}: its tokenizer has no mask token")
    refuse_characters_as_special(tokenizer, what)
    _check_mask_token(tokenizer, what)
    return tokenizer


def _check_mask_token(tokenizer: PreTrainedTokenizerBase, what: str) -> None:
    """Raise InputError where the mask token means something else too."""
    mask = str(tokenizer.mask_token)
    if _WORD.fullmatch(mask) and mask != "MASK":
        raise InputError(f"{what}: its tokenizer has the word {mask!r} for its mask token")
    for other in _OTHER_SPECIAL:
        if getattr(tokenizer, f"{other}_token_id") == tokenizer.mask_token_id:
            raise InputError(f"{what}: its tokenizer's mask token {mask!r} is its {other} token too")


def _check_reading(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, what: str) -> None:
    """Raise InputError where the model does not read so much as a mask."""
    try:
        # as long as a short sentence: some architectures read nothing shorter
        ids = torch.tensor([tokenizer(6 * f"{tokenizer.mask_token} ")["input_ids"]])
        with torch.inference_mode():
            logits = model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits
    except Exception as error:  # whatever odd settings lead to in some architecture
        raise InputError(f"{what}: with its config.json it reads no sentence: {first_line(error)}") from None
    if logits.isnan().any():
        raise InputError(f"{what}: with its config.json it predicts what is not a number")


def describe(directory: str | Path) -> dict[str, Any]:
    """What a model directory holds: its manifest, the same on every machine.

    What `unmask.models.checking.describe_files` says, with mask_token and mask_token_id. Raises InputError
    where it is not a model directory.
    """
    directory = Path(directory)
    what = f"model directory {directory}"
    files_of(directory, what)
    with quiet_transformers():
        config = _config(directory, what)
        tokenizer = _tokenizer(directory, what)
    return {
        **describe_files(AutoModelForMaskedLM, directory, config, tokenizer),
        "mask_token": tokenizer.mask_token,
        "mask_token_id": tokenizer.mask_token_id,
    }
