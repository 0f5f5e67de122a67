"""Checks of model directories that hold for every kind of model, and what manifests say of all."""

import hashlib
import logging
import re
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from transformers import AutoConfig, PretrainedConfig, PreTrainedModel, PreTrainedTokenizerBase
from transformers.modeling_utils import load_state_dict

from unmask.errors import InputError
from unmask.files import sha256_of_file
from unmask.models.directory import ModelFiles, is_allowed

if TYPE_CHECKING:
    from unmask.models.kinds import Kind

logger = logging.getLogger(__name__)

_POSITIONS_AFTER_PADDING = (
    *("camembert", "data2vec-text", "esm", "ibert", "longformer", "luke", "mpnet"),
    *("roberta", "roberta-prelayernorm", "xlm-roberta", "xlm-roberta-xl", "xmod"),
)
"""Model types whose first token has position `padding id + 1`, so that fewer tokens fit."""

_RELATIVE_POSITIONS = ("deberta", "deberta-v2", "funnel")
"""Model types that take any length, unless they add absolute positions too (`position_biased_input`)."""

_UNSET_LENGTH = 10**9
"""Tokenizers that know no longest length state an astronomical one."""

NEVER_GIVEN: Mapping[str, Callable[[PretrainedConfig], bool]] = {
    # XLM, FlauBERT
    "the language of each token (langs)": lambda config: (
        getattr(config, "use_lang_emb", False) and getattr(config, "n_langs", 1) > 1
    ),
    # LayoutLM and its kin
    "where on a page each word stands (bbox)": lambda config: hasattr(config, "max_2d_position_embeddings"),
    # RoCBert
    "the shape and the sound of each character": lambda config: (
        getattr(config, "enable_shape", False) or getattr(config, "enable_pronunciation", False)
    ),
}
"""Inputs that no text here has, and whether a network with these settings reads them."""

_LAYERS = ("num_hidden_layers", "encoder_layers", "decoder_layers")
_PARTS = ("text_config", "vision_config")


def load_config(directory: Path, what: str) -> PretrainedConfig:
    """The configuration of a model.

    Raises InputError where its settings cannot be used, where a network with them reads what is NEVER_GIVEN,
    and where it has no layers.
    """
    try:
        config: PretrainedConfig = AutoConfig.from_pretrained(
            directory, local_files_only=True, trust_remote_code=is_allowed(directory)
        )
    except Exception as error:  # each architecture has its own way with settings that it cannot use
        raise InputError(f"{what}: its config.json cannot be used: {first_line(error)}") from None
    for missing, is_read in NEVER_GIVEN.items():
        if is_read(config):
            raise InputError(
                f"{what}: a {config.model_type} of its config.json reads {missing}, which no text here has"
            )
    parts = {"": config} | {f"{name}.": getattr(config, name, None) for name in _PARTS}
    for (prefix, part), setting in product(parts.items(), _LAYERS):
        number = getattr(part, setting, None)
        if number == 0 and number is not False:
            raise InputError(f"{what}: {prefix}{setting} is 0 in its config.json: a network without layers")
    return config


def load_checked(kind: "Kind", directory: Path, files: ModelFiles, what: str) -> PreTrainedModel:
    """The network of a model in evaluation mode: its weights are those of the checkpoint, and all of these.

    what: how a message begins, as `model NAME`.

    transformers draws weights at random that a checkpoint lacks, and passes over tensors that it does not
    know: a checkpoint of two layers loads as one, adapters that were not merged are left out, and numbers of
    eight bits are read without their scale. Raises InputError for either, and for weights that are truncated,
    of other shapes, not floating-point numbers or not finite.
    """
    model: PreTrainedModel
    try:
        with_types = [name for name in files.weights if name.endswith((".safetensors", ".bin"))]
        whole_numbers = {name: not_floating(directory / name) for name in with_types}
        model, loading = kind.auto.from_pretrained(
            directory,
            local_files_only=True,
            trust_remote_code=is_allowed(directory),
            dtype=torch.float32,
            output_loading_info=True,
            # listed by name below
            ignore_mismatched_sizes=True,
        )
    except Exception as error:  # corrupt files fail in as many ways as there are formats
        raise InputError(f"{what}: its weights cannot be loaded: {first_line(error)}") from None
    parameters = dict(model.named_parameters(remove_duplicate=False))
    unexpected = sorted(map(str, loading["unexpected_keys"]))
    lacking = {key for key in loading["missing_keys"] if not key.startswith(kind.may_lack)}
    missing = sorted(lacking & parameters.keys())
    unused = [key for key in unexpected if not re.search("|".join(kind.may_have), key)]
    if unused and not missing:
        raise InputError(
            f"{what}: its checkpoint has tensors that a {model.config.model_type} of its config.json does "
            f"not use, {len(unused)} in all: {_some(unused)}"
        )
    # positions and the like are counted, and what is not loaded does not count
    passed_over = {name.rpartition(".")[2] for name, _ in model.named_buffers()}
    for name, tensors in whole_numbers.items():
        passed_over_here = {key for key in tensors if key.rpartition(".")[2] in passed_over}
        if whole := sorted({*tensors} - {*unexpected} - passed_over_here):
            raise InputError(f"{what}: weights in {name} that are not floating-point numbers: {_some(whole)}")
    if mismatched := sorted(str(key[0]) for key in loading["mismatched_keys"]):
        raise InputError(f"{what}: weights of another shape than config.json says: {_some(mismatched)}")
    if missing:
        raise InputError(
            f"{what}: the checkpoint lacks weights of the {kind.title}, which would be drawn "
            f"at random ({_some(missing)}){_others(missing, unexpected)}"
        )
    if broken := sorted(key for key, weights in parameters.items() if not torch.isfinite(weights).all()):
        raise InputError(f"{what}: weights that are not finite: {_some(broken)}")
    logger.info("%s: %d tensors of its checkpoint are of other tasks, and unused", what, len(unexpected))
    return model


def _others(missing: list[str], others: list[str]) -> str:
    """What a checkpoint has in place of weights: these under another prefix, or others; in words."""
    prefixes = Counter(name.removesuffix(key) for key in missing for name in others if name.endswith(key))
    for prefix, count in prefixes.most_common(1):
        if 2 * count > len(missing):
            return f": it has {count} of them under the prefix {prefix!r}: save the model without its wrapper"
    return f": it has others, which are not used ({_some(others)})" if others else ""


def check_vocabulary(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, what: str) -> None:
    """Raise InputError where the model has fewer embeddings than the tokenizer has tokens."""
    # of a network that reads no text the probe of its kind says so
    with suppress(AttributeError):
        last, embeddings = max(tokenizer.get_vocab().values()), count_embeddings(model)
        if last >= embeddings:
            raise InputError(f"{what}: the tokenizer has ids up to {last}, the model {embeddings} embeddings")


def count_embeddings(model: PreTrainedModel) -> int:
    """Rows of the embedding. Raises AttributeError for a network without one."""
    table: Any = model.get_input_embeddings()
    return int(table.weight.shape[0])


def describe(
    directory: Path,
    files: ModelFiles,
    config: PretrainedConfig,
    tokenizer: PreTrainedTokenizerBase,
    model: PreTrainedModel,
) -> dict[str, Any]:
    """What the manifests of all kinds of models say, the same on every machine.

    - files: size in bytes and SHA-256 of every file that the model is loaded from
    - model_type: as the configuration states it
    - parameters: how many numbers the model has, tied ones once
    - vocab_size: rows of the embedding
    - max_length: how many tokens a text may have, special ones included; None for any number
    - weights_digest, tokenizer_digest: SHA-256 over the digests of the weights (with the configuration), and
      of the tokenizer
    """
    sha256 = {name: sha256_of_file(directory / name) for name in files.all}
    return {
        "files": {
            name: {"size": (directory / name).stat().st_size, "sha256": digest}
            for name, digest in sha256.items()
        },
        "model_type": config.model_type,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "vocab_size": count_embeddings(model),
        "max_length": max_length(config, tokenizer),
        "weights_digest": _digest([sha256[name] for name in files.all if name not in files.tokenizer]),
        "tokenizer_digest": _digest([sha256[name] for name in files.tokenizer]),
    }


def max_length(config: PretrainedConfig, tokenizer: PreTrainedTokenizerBase) -> int | None:
    """How many tokens the model takes, special ones included; None where positions are relative only."""
    limits: list[int] = []
    positions = getattr(config, "max_position_embeddings", None)
    is_relative = config.model_type in _RELATIVE_POSITIONS
    has_table = not is_relative or getattr(config, "position_biased_input", False)
    if isinstance(positions, int) and positions > 0 and has_table:
        skipped = config.pad_token_id + 1 if config.model_type in _POSITIONS_AFTER_PADDING else 0
        limits.append(positions - skipped)
    if config.model_type == "reformer":
        # what is longer meets others by random hashes
        limits.append(config.lsh_attn_chunk_length)
    if 0 < tokenizer.model_max_length < _UNSET_LENGTH:
        limits.append(int(tokenizer.model_max_length))
    return min(limits, default=None)


def _digest(digests: list[str]) -> str:
    return hashlib.sha256("\n".join(sorted(digests)).encode()).hexdigest()


def _some(keys: list[str]) -> str:
    return ", ".join(keys[:3]) + (f" and {len(keys) - 3} more" if len(keys) > 3 else "")


def first_line(error: BaseException) -> str:
    """What an error says, in one line."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def not_floating(file: Path) -> list[str]:
    """The names of a checkpoint's tensors that are not floating-point numbers, sorted.

    Raises InputError where it cannot be read, as where a pickle holds more than tensors.
    """
    try:
        tensors = load_state_dict(str(file), map_location="meta")
    except Exception as error:  # corrupt files fail in as many ways as there are formats
        # what PyTorch says is advice to read it all the same
        why = " is broken, or holds more than tensors: that could be code, and is not read"
        raise InputError(file.name + (f": {error}" if file.suffix == ".safetensors" else why)) from None
    return sorted(
        name for name, each in tensors.items() if torch.is_tensor(each) and not each.is_floating_point()
    )
