"""Models with random weights: untrained ones, which are a null baseline."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, PretrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

from unmask.errors import InputError
from unmask.models.checking import KINDS
from unmask.models.directory import KEY, MASKED_LM, allow, from_directory, is_allowed, save_like
from unmask.models.tokenizer import load_tokenizer


def make_random(entry: Mapping[str, Any], directory: str | Path, seed: int) -> dict[str, str]:
    """Write a language model with random weights to `directory`, whole or not at all.

    `entry["kind"]` is a language model's, masked where it is not stated. `entry["config"]` has the
    `model_type` and any setting of its configuration; the size of the vocabulary and the ids of special
    tokens are those of the tokenizer in the directory `entry["tokenizer"]`, whose files are copied as they
    are. The same seed gives the same weights.

    Returns torch, its version, on which the weights depend. Raises InputError naming the key of the entry
    that cannot be used.
    """
    source, kind = Path(entry["tokenizer"]), entry.get("kind", MASKED_LM)
    tokenizer = load_tokenizer(source)
    try:
        save_like(_drawn(_config(entry["config"], tokenizer), kind, seed), source, directory)
    except (InputError, OSError):
        raise
    except Exception as error:  # each architecture has its own way with settings that it cannot use
        reason = str(error) or type(error).__name__
        raise InputError(f"config: no {KINDS[kind].title} of these settings: {reason}") from None
    return {"torch": str(torch.__version__)}


def make_untrained(base: str | Path, directory: str | Path, seed: int, kind: str = MASKED_LM) -> None:
    """Write a language model with the configuration and the tokenizer of the one in `base`, and with weights
    as its architecture draws them before training, to `directory`, whole or not at all: what scores are
    without anything learnt.

    kind: of a language model. The same seed gives the same weights with the same version of torch.
    """
    config, allowed = from_directory(AutoConfig, base), is_allowed(base)
    save_like(_drawn(config, kind, seed, allowed), Path(base), directory)
    allow(directory, {KEY: allowed})


def _drawn(config: PretrainedConfig, kind: str, seed: int, own_code: bool = False) -> PreTrainedModel:
    """A language model with weights as its architecture draws them."""
    auto = KINDS[kind].auto
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model: PreTrainedModel = auto.from_config(config, trust_remote_code=own_code, dtype=torch.float32)
    return model


def _config(settings: Mapping[str, Any], tokenizer: PreTrainedTokenizerBase) -> PretrainedConfig:
    """A configuration with these settings, and what the tokenizer says where they do not."""
    model_type: Any = settings.get("model_type")
    try:
        default = AutoConfig.for_model(model_type)
    except (ValueError, KeyError, TypeError):
        raise InputError(f"config.model_type: transformers knows no {model_type!r}") from None
    known = {*default.to_dict(), *default.attribute_map}
    if unknown := sorted({*settings} - known):
        # transformers would take it and ignore it
        raise InputError(f"config: {model_type} has no setting {unknown[0]!r}")
    ids = {name: getattr(tokenizer, f"{name}_token_id") for name in ("cls", "sep", "pad", "mask")}
    for end, stand_in in (("bos", "cls"), ("eos", "sep")):
        # one-segment tokenizers name the ends only cls and sep
        stated = getattr(tokenizer, f"{end}_token_id")
        ids[end] = ids[stand_in] if stated is None else stated
    of_tokenizer = {f"{name}_token_id": number for name, number in ids.items()}
    fitting = {key: number for key, number in of_tokenizer.items() if key in known}
    return AutoConfig.for_model(**{"vocab_size": len(tokenizer), **fitting, **settings})
