"""Causal language models (decoders), which predict each token from those before it."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, PretrainedConfig, PreTrainedModel, PreTrainedTokenizerBase
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

from unmask.errors import InputError
from unmask.models.checking import Kind, load_config, max_length
from unmask.models.start import choose_start

_TITLE = "causal language model"

_WINDOWS = ("sliding_window", "window_size", "attention_chunk_size")
"""Settings that say how many tokens back attention reaches, in some layers or all."""

_SAME = 1e-4
"""How far log-probabilities may be apart that are the same but for float error."""


def _config(directory: Path, what: str) -> PretrainedConfig:
    """Refused besides is a model that has an encoder."""
    config = load_config(
        directory,
        what,
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        _TITLE,
        "only such models are read from left to right",
        "AutoModelForCausalLM",
    )
    if config.is_encoder_decoder:
        raise InputError(f"{what}: it has an encoder (is_encoder_decoder in config.json), and is no decoder")
    return config


def _read_twice(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, directory: Path) -> torch.Tensor:
    """Log-probabilities (2 × tokens × vocabulary) in a text, with one more token behind it and without."""
    ids = torch.tensor([tokenizer("a few words of a text", add_special_tokens=False)["input_ids"]])
    longer, alone = (
        model(input_ids=each, attention_mask=torch.ones_like(each), use_cache=False).logits[0]
        for each in (ids, ids[:, :-1])
    )
    return torch.stack([longer[:-1], alone]).float().log_softmax(-1)


def _fault(log_probs: torch.Tensor, config: PretrainedConfig) -> str | None:
    if log_probs.isnan().any():
        return "with its config.json it predicts what is not a number"
    longer, alone = log_probs
    if not torch.allclose(longer, alone, atol=_SAME, rtol=_SAME):
        return "it sees the tokens that follow, and is no decoder (is_decoder in config.json)"
    return None


def _longest(config: PretrainedConfig, tokenizer: PreTrainedTokenizerBase) -> int | None:
    """How many tokens the model takes, all of which each token sees; None where there is no limit."""
    windows = [getattr(config, name, None) for name in _WINDOWS]
    if getattr(config, "use_sliding_window", True) is False:
        windows[0] = None
    limits = [
        limit for limit in (max_length(config, tokenizer), *windows) if isinstance(limit, int) and limit
    ]
    return min(limits, default=None)


def _facts(
    config: PretrainedConfig, tokenizer: PreTrainedTokenizerBase, what: str, entry: Mapping[str, Any]
) -> dict[str, Any]:
    """max_length counts the start token."""
    return {
        "max_length": _longest(config, tokenizer),
        "start": asdict(choose_start(tokenizer, entry.get("start"), what)),
    }


KIND = Kind(
    _TITLE,
    purpose="scoring",
    unread="with its config.json it reads no sentence",
    config=_config,
    network=lambda config: AutoModelForCausalLM,
    probe=_read_twice,
    fault=_fault,
    facts=_facts,
    # the start token is put before a text by the tokenizer itself
    fast_tokenizer=True,
)
check, describe = KIND.check, KIND.describe
