"""Masked language models: checking that a directory holds one fit for scoring, and describing it."""

import hashlib
import logging
import math
import re
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers import (
    AutoConfig,
    AutoModelForMaskedLM,
    AutoTokenizer,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES

from unmask.errors import InputError
from unmask.files import sha256_of_file
from unmask.models.directory import ModelFiles, files_of
from unmask.models.quiet import quiet_transformers
from unmask.models.weights import not_floating

logger = logging.getLogger(__name__)

_POSITIONS_AFTER_PADDING = frozenset(
    [
        "camembert",
        "data2vec-text",
        "esm",
        "ibert",
        "longformer",
        "luke",
        "mpnet",
        "roberta",
        "roberta-prelayernorm",
        "xlm-roberta",
        "xlm-roberta-xl",
        "xmod",
    ]
)
"""Model types whose first token has position `padding id + 1`, so that fewer tokens fit."""

_RELATIVE_POSITIONS = frozenset(["deberta", "deberta-v2", "funnel"])
"""Model types that take any length, unless they add absolute positions too (`position_biased_input`)."""

_WORD = re.compile(r"(##|[▁Ġ ])?[^\W_]+(['’-][^\W_]+)*")
"""An ordinary word, with what tokenizers put before one. A mask token has brackets or some other mark."""

_OTHER_SPECIAL = ("pad", "unk", "cls", "sep", "bos", "eos")

_TENSORS = (".safetensors", ".bin")

_UNSET_LENGTH = 10**9
"""Tokenizers that know no longest length state an astronomical one."""


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
        model = _model(directory, files, what)
    vocabulary = max(tokenizer.get_vocab().values()) + 1
    embeddings = _embeddings(model)
    if vocabulary > embeddings:
        raise InputError(
            f"{what}: the tokenizer has ids up to {vocabulary - 1}, the model {embeddings} embeddings"
        )
    _check_reading(model, tokenizer, what)
    logger.info("%s: %s with %d tokens is fit for scoring", what, config.model_type, vocabulary)


def _config(directory: Path, what: str) -> PretrainedConfig:
    try:
        config: PretrainedConfig = AutoConfig.from_pretrained(
            directory, local_files_only=True, trust_remote_code=False
        )
    except Exception as error:  # each architecture has its own way with settings that it cannot use
        raise InputError(f"{what}: its config.json cannot be used: {_first_line(error)}") from None
    if config.model_type not in MODEL_FOR_MASKED_LM_MAPPING_NAMES:
        raise InputError(
            f"{what}: transformers {transformers.__version__} has no masked language model of type "
            f"{config.model_type}: only masked language models can be scored"
        )
    if getattr(config, "is_decoder", False) and not config.is_encoder_decoder:
        raise InputError(
            f"{what}: it is a decoder (is_decoder in config.json) and cannot see what follows a mask"
        )
    return config


def _tokenizer(directory: Path, what: str) -> PreTrainedTokenizerBase:
    try:
        tokenizer = AutoTokenizer.from_pretrained(directory, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # whatever a broken file of some tokenizer's own format leads to
        raise InputError(f"{what}: its tokenizer cannot be loaded: {_first_line(error)}") from None
    if tokenizer.mask_token_id is None:
        raise InputError(f"{what}: its tokenizer has no mask token")
    characters = sorted(token for token in tokenizer.all_special_tokens if len(token) == 1)
    if characters:
        raise InputError(
            f"{what}: its tokenizer takes {' '.join(characters)} for special tokens, as happens with a "
            "spiece.model alone: add the model's tokenizer.json"
        )
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


def _model(directory: Path, files: ModelFiles, what: str) -> PreTrainedModel:
    model: PreTrainedModel
    try:
        others = {name: not_floating(directory / name) for name in files.weights if name.endswith(_TENSORS)}
        model, loading = AutoModelForMaskedLM.from_pretrained(
            directory,
            local_files_only=True,
            trust_remote_code=False,
            dtype=torch.float32,
            output_loading_info=True,
            # listed by name below
            ignore_mismatched_sizes=True,
        )
    except Exception as error:  # corrupt files fail in as many ways as there are formats
        raise InputError(f"{what}: its weights cannot be loaded: {_first_line(error)}") from None
    parameters = dict(model.named_parameters(remove_duplicate=False))
    # positions and the like are counted, and what is not loaded does not count
    buffers = {name.rpartition(".")[2] for name, _ in model.named_buffers()}
    for name, tensors in others.items():
        loaded = set(tensors) - set(loading["unexpected_keys"])
        if whole := sorted(key for key in loaded if key.rpartition(".")[2] not in buffers):
            raise InputError(f"{what}: weights in {name} that are not floating-point numbers: {_some(whole)}")
    mismatched = sorted(str(key[0]) for key in loading["mismatched_keys"])
    if mismatched:
        raise InputError(f"{what}: weights of another shape than config.json says: {_some(mismatched)}")
    missing = sorted(key for key in loading["missing_keys"] if key in parameters)
    if missing:
        raise InputError(
            f"{what}: the checkpoint lacks weights of the masked language model, which would be drawn "
            f"at random ({_some(missing)}): it was not trained as one, or was saved without its head"
        )
    broken = sorted(key for key, weights in parameters.items() if not torch.isfinite(weights).all())
    if broken:
        raise InputError(f"{what}: weights that are not finite: {_some(broken)}")
    return model


def _check_reading(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, what: str) -> None:
    """Raise InputError where the model does not read so much as a mask."""
    try:
        # as long as a short sentence: some architectures read nothing shorter
        ids = torch.tensor([tokenizer(6 * f"{tokenizer.mask_token} ")["input_ids"]])
        with torch.inference_mode():
            logits = model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits
    except Exception as error:  # whatever odd settings lead to in some architecture
        raise InputError(f"{what}: with its config.json it reads no sentence: {_first_line(error)}") from None
    if logits.isnan().any():
        raise InputError(f"{what}: with its config.json it predicts what is not a number")


def _embeddings(model: PreTrainedModel) -> int:
    table: Any = model.get_input_embeddings()
    return int(table.weight.shape[0])


def describe(directory: str | Path) -> dict[str, Any]:
    """What a model directory holds: its manifest, the same on every machine.

    - files: size in bytes and SHA-256 of every file that the model is loaded from
    - model_type, architectures: as the configuration states them
    - parameters: how many numbers the masked language model has, tied ones once
    - vocab_size: rows of the embedding; tokenizer_size: tokens of the tokenizer
    - max_length: how many tokens a sentence may have, special ones included; None for any number
    - mask_token, mask_token_id
    - weights_digest, tokenizer_digest, digest: SHA-256 over the digests of the weights (with the
      configuration), of the tokenizer, and of all

    Raises InputError where it is not a model directory.
    """
    directory = Path(directory)
    chosen = files_of(directory, f"model directory {directory}")
    with quiet_transformers():
        config = _config(directory, f"model directory {directory}")
        tokenizer = _tokenizer(directory, f"model directory {directory}")
        with torch.device("meta"):
            model = AutoModelForMaskedLM.from_config(config)  # type: ignore[no-untyped-call]
    sha256 = {name: sha256_of_file(directory / name) for name in chosen.all}
    files = {name: {"size": (directory / name).stat().st_size, "sha256": sha256[name]} for name in chosen.all}
    return {
        "files": files,
        "model_type": config.model_type,
        "architectures": config.architectures,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "vocab_size": _embeddings(model),
        "tokenizer_size": len(tokenizer),
        "max_length": max_length(config, tokenizer),
        "mask_token": tokenizer.mask_token,
        "mask_token_id": tokenizer.mask_token_id,
        "weights_digest": _digest([sha256[name] for name in chosen.all if name not in chosen.tokenizer]),
        "tokenizer_digest": _digest([sha256[name] for name in chosen.tokenizer]),
        "digest": _digest(list(sha256.values())),
    }


def max_length(config: PretrainedConfig, tokenizer: PreTrainedTokenizerBase) -> int | None:
    """How many tokens the model takes, special ones included; None where positions are relative only."""
    limits = [math.inf]
    relative = config.model_type in _RELATIVE_POSITIONS and not getattr(
        config, "position_biased_input", False
    )
    positions = getattr(config, "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0 and not relative:
        skipped = config.pad_token_id + 1 if config.model_type in _POSITIONS_AFTER_PADDING else 0
        limits.append(positions - skipped)
    if 0 < tokenizer.model_max_length < _UNSET_LENGTH:
        limits.append(tokenizer.model_max_length)
    shortest = min(limits)
    return None if math.isinf(shortest) else int(shortest)


def _digest(digests: list[str]) -> str:
    return hashlib.sha256("\n".join(sorted(digests)).encode()).hexdigest()


def _some(keys: list[str]) -> str:
    return ", ".join(keys[:3]) + (f" and {len(keys) - 3} more" if len(keys) > 3 else "")


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
