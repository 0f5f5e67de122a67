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


def _read_two_ends(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, directory: Path
) -> torch.Tensor:
    """Log-probabilities (2 × tokens × vocabulary) in two sequences that differ in their last token alone."""
    ids = tokenizer("a few words of a text", add_special_tokens=False)["input_ids"]
    sequences = torch.tensor([ids, [*ids[:-1], ids[0]]])
    logits: torch.Tensor = model(
        input_ids=sequences, attention_mask=torch.ones_like(sequences), use_cache=False
    ).logits
    return logits.float().log_softmax(-1)


def _fault(log_probs: torch.Tensor, config: PretrainedConfig) -> str | None:
    if log_probs.isnan().any():
        return "with its config.json it predicts what is not a number"
    first, second = log_probs[:, :-1]
    if not torch.allclose(first, second, atol=_SAME, rtol=_SAME):
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
    probe=_read_two_ends,
    fault=_fault,
    facts=_facts,
    # the start token is put before a text by the tokenizer itself
    fast_tokenizer=True,
)
check, describe = KIND.check, KIND.describe
