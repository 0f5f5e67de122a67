"""Masked language models, which are fit for scoring."""

import re
from pathlib import Path

import torch
from transformers import AutoModelForMaskedLM, PretrainedConfig, PreTrainedModel, PreTrainedTokenizerBase
from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES

from unmask.errors import InputError
from unmask.models.checking import Kind, load_config

_TITLE = "masked language model"

_WORD = re.compile(r"(##|[▁Ġ ])?[^\W_]+(['’-][^\W_]+)*")
"""An ordinary word, with what tokenizers put before one. A mask token has brackets or some other mark."""

_OTHER_SPECIAL = ("pad", "unk", "cls", "sep", "bos", "eos")


def _config(directory: Path, what: str) -> PretrainedConfig:
    """Refused besides is a decoder."""
    config = load_config(
        directory,
        what,
        MODEL_FOR_MASKED_LM_MAPPING_NAMES,
        _TITLE,
        "what reads from left to right is of the kind causal-lm",
        "AutoModelForMaskedLM",
    )
    if getattr(config, "is_decoder", False) and not config.is_encoder_decoder:
        raise InputError(
            f"{what}: it is a decoder (is_decoder in config.json) and cannot see what follows a mask"
        )
    return config


def _check_mask_token(tokenizer: PreTrainedTokenizerBase, what: str) -> None:
    """Raise InputError where there is no mask token, or it means something else too."""
    if tokenizer.mask_token_id is None:
        raise InputError(f"{what}: its tokenizer has no mask token")
    mask = str(tokenizer.mask_token)
    if _WORD.fullmatch(mask) and mask != "MASK":
        raise InputError(f"{what}: its tokenizer has the word {mask!r} for its mask token")
    for other in _OTHER_SPECIAL:
        if getattr(tokenizer, f"{other}_token_id") == tokenizer.mask_token_id:
            raise InputError(f"{what}: its tokenizer's mask token {mask!r} is its {other} token too")


def _check_ends(tokenizer: PreTrainedTokenizerBase, what: str) -> None:
    """Raise InputError where the tokenizer has tokens for the ends of a text and does not put them there."""
    if tokenizer.cls_token_id is None or tokenizer.sep_token_id is None:
        return
    special = tokenizer("a few words of a text", return_special_tokens_mask=True)["special_tokens_mask"]
    if not (special[0] and special[-1]):
        raise InputError(
            f"{what}: its tokenizer has {tokenizer.cls_token} and {tokenizer.sep_token} and does not put "
            "them around a text: give its tokenizer.json a post-processor that does"
        )


def _check_tokenizer(tokenizer: PreTrainedTokenizerBase, what: str) -> None:
    _check_mask_token(tokenizer, what)
    _check_ends(tokenizer, what)


def _read_masks(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, directory: Path) -> torch.Tensor:
    """Logits, 1 × tokens × vocabulary. Raises ValueError for those of other places."""
    # as long as a short sentence: some architectures read nothing shorter
    ids = torch.tensor([tokenizer(6 * f"{tokenizer.mask_token} ")["input_ids"]])
    logits: torch.Tensor = model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits
    if logits.shape[:2] != ids.shape:
        # Perceiver has logits for as many places as it has positions
        raise ValueError(f"logits of {logits.shape[1]} places for {ids.shape[1]} tokens")
    return logits


def _fault(logits: torch.Tensor, config: PretrainedConfig) -> str | None:
    return "with its config.json it predicts what is not a number" if logits.isnan().any() else None


KIND = Kind(
    _TITLE,
    purpose="scoring",
    unread="with its config.json it reads no sentence",
    config=_config,
    network=lambda config: AutoModelForMaskedLM,
    probe=_read_masks,
    fault=_fault,
    facts=lambda config, tokenizer, what, entry: {
        "mask_token": tokenizer.mask_token,
        "mask_token_id": tokenizer.mask_token_id,
    },
    check_tokenizer=_check_tokenizer,
)
check, describe = KIND.check, KIND.describe
