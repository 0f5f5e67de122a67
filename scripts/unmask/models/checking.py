"""Checking that a model directory holds a sound model of its kind, and describing it."""

import hashlib
import logging
import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors import safe_open
from transformers import AutoConfig, PretrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

from unmask.errors import InputError
from unmask.files import sha256_of_file
from unmask.models.directory import ModelFiles, files_of
from unmask.models.own_code import is_allowed
from unmask.models.quiet import quiet_transformers
from unmask.models.tokenizer import checked_tokenizer

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

_TENSORS = (".safetensors", ".bin")

_UNSET_LENGTH = 10**9
"""Tokenizers that know no longest length state an astronomical one."""


@dataclass(frozen=True)
class Kind:
    """A kind of models; each is the `KIND` of its module in `unmask.models.kinds`.

    what: how a message begins, as `model NAME`.
    """

    title: str
    """What such a model is called."""
    purpose: str
    """What one has to be fit for."""
    unread: str
    """What is said of a model that fails to read the probe."""
    config: Callable[[Path, str], PretrainedConfig]
    """Directory, what -> the configuration; raises InputError for a model of another kind."""
    network: Callable[[PretrainedConfig], Any]
    """One of transformers' classes AutoModelFor…, or the network's own."""
    probe: Callable[[PreTrainedModel, PreTrainedTokenizerBase, Path], torch.Tensor]
    """Network, tokenizer, directory -> what the network makes of some text; fails where it cannot read it."""
    fault: Callable[[torch.Tensor, PretrainedConfig], str | None]
    """What is wrong with the output of the probe, if anything."""
    facts: Callable[[PretrainedConfig, PreTrainedTokenizerBase, str, Mapping[str, Any]], dict[str, Any]] = (
        lambda *_: {}
    )
    """Configuration, tokenizer, what, entry (of the study) -> what a manifest says besides; raises InputError
    where it cannot."""
    check_tokenizer: Callable[[PreTrainedTokenizerBase, str], None] | None = None
    """Raises InputError for a tokenizer that is not fit."""
    fast_tokenizer: bool = False
    """Whether the tokenizer has to say where in a text its tokens are."""
    unused: tuple[str, ...] = ()
    """What the names of weights begin with that may be missing, as nothing is made with them."""

    def check(self, directory: str | Path, name: str, entry: Mapping[str, Any] | None = None) -> None:
        """Load a model as a job will, and raise InputError naming the model where it is not fit for use.

        entry: what the study says of it.

        Refused are: what is not a model directory; an architecture that transformers does not have for this
        kind; weights that are truncated, of other shapes, not floating-point numbers, not finite, or missing,
        so that transformers would draw them at random (a tied decoder and buffers are not weights of their
        own); a tokenizer that takes characters for special tokens, makes texts lower-case for a cased
        vocabulary, or has more tokens than the model has embeddings; settings with which the model reads
        nothing; and what the module of the kind adds.
        """
        directory, what = Path(directory), f"model {name}"
        files = files_of(directory, what)
        with quiet_transformers():
            config, tokenizer, remarks = self._config_and_tokenizer(directory, what)
            self.facts(config, tokenizer, what, entry or {})
            # in evaluation mode, as from_pretrained leaves it
            model = load_network(self.network(config), directory, files, what, self.title, self.unused)
        for remark in remarks:
            logger.warning("%s: %s", what, remark)
        check_vocabulary(model, tokenizer, what)
        try:
            with torch.inference_mode():
                output = self.probe(model, tokenizer, directory)
        except Exception as error:  # whatever odd settings lead to in some architecture
            raise InputError(f"{what}: {self.unread}: {first_line(error)}") from None
        if fault := self.fault(output, config):
            raise InputError(f"{what}: {fault}")
        logger.info(
            "%s: %s with %d tokens is fit for %s", what, config.model_type, len(tokenizer), self.purpose
        )

    def describe(self, directory: str | Path, entry: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The manifest of a model directory, the same on every machine: `describe_files`, and `facts`.

        tokenizer_remarks: sentences on how its tokenizer reads texts that users may not expect, if any.
        Raises InputError where the directory holds no model of this kind.
        """
        directory = Path(directory)
        what = f"model directory {directory}"
        files_of(directory, what)
        with quiet_transformers():
            config, tokenizer, remarks = self._config_and_tokenizer(directory, what)
        described = describe_files(self.network(config), directory, config, tokenizer)
        if remarks:
            described["tokenizer_remarks"] = remarks
        return described | self.facts(config, tokenizer, what, entry or {})

    def _config_and_tokenizer(
        self, directory: Path, what: str
    ) -> tuple[PretrainedConfig, PreTrainedTokenizerBase, list[str]]:
        config, (tokenizer, remarks) = self.config(directory, what), checked_tokenizer(directory, what)
        if self.fast_tokenizer and not tokenizer.is_fast:
            raise InputError(
                f"{what}: its {type(tokenizer).__name__} does not say where tokens are: add a tokenizer.json"
            )
        refuse_characters_as_special(tokenizer, what)
        if self.check_tokenizer:
            self.check_tokenizer(tokenizer, what)
        return config, tokenizer, remarks


def load_config(
    directory: Path, what: str, known: Collection[str], kind: str, remark: str, auto: str = ""
) -> PretrainedConfig:
    """The configuration of a model.

    known: the types of models that there are of its kind; kind: what such a model is called; remark: what is
    added where it is none; auto: the class of transformers for which code of the model's own may stand in,
    where that is allowed. Raises InputError where it is none, and where its settings cannot be used.
    """
    try:
        config: PretrainedConfig = AutoConfig.from_pretrained(
            directory, local_files_only=True, trust_remote_code=is_allowed(directory)
        )
    except Exception as error:  # each architecture has its own way with settings that it cannot use
        raise InputError(f"{what}: its config.json cannot be used: {first_line(error)}") from None
    has_code = is_allowed(directory) and auto in (getattr(config, "auto_map", None) or {})
    if config.model_type not in known and not has_code:
        raise InputError(
            f"{what}: transformers {transformers.__version__} has no {kind} of type "
            f"{config.model_type}: {remark}"
        )
    return config


def refuse_characters_as_special(tokenizer: PreTrainedTokenizerBase, what: str) -> None:
    """Raise InputError where a tokenizer takes single characters for special tokens."""
    characters = sorted(token for token in tokenizer.all_special_tokens if len(token) == 1)
    if characters:
        raise InputError(
            f"{what}: its tokenizer takes {' '.join(characters)} for special tokens, as happens with a "
            "spiece.model alone: add the model's tokenizer.json"
        )


def load_network(
    auto: Any, directory: Path, files: ModelFiles, what: str, kind: str, unused: tuple[str, ...]
) -> PreTrainedModel:
    """The network of a model as `auto` loads it, every weight being one that the checkpoint has.

    auto: one of transformers' classes AutoModelFor…, or the network's own; kind: what such a model is called;
    unused: what the names of weights begin with that may be missing, as nothing is made with them. Raises
    InputError for weights that are truncated, of other shapes, not floating-point numbers, not finite, or
    missing.
    """
    model: PreTrainedModel
    try:
        others = {name: not_floating(directory / name) for name in files.weights if name.endswith(_TENSORS)}
        model, loading = auto.from_pretrained(
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
    # positions and the like are counted, and what is not loaded does not count
    buffers = {name.rpartition(".")[2] for name, _ in model.named_buffers()}
    for name, tensors in others.items():
        loaded = set(tensors) - set(loading["unexpected_keys"])
        if whole := sorted(key for key in loaded if key.rpartition(".")[2] not in buffers):
            raise InputError(f"{what}: weights in {name} that are not floating-point numbers: {_some(whole)}")
    mismatched = sorted(str(key[0]) for key in loading["mismatched_keys"])
    if mismatched:
        raise InputError(f"{what}: weights of another shape than config.json says: {_some(mismatched)}")
    lacking = [key for key in loading["missing_keys"] if not key.startswith(unused)]
    missing = sorted(key for key in lacking if key in parameters)
    if missing:
        raise InputError(
            f"{what}: the checkpoint lacks weights of the {kind}, which would be drawn "
            f"at random ({_some(missing)}){_others(missing, sorted(loading['unexpected_keys']))}"
        )
    broken = sorted(key for key, weights in parameters.items() if not torch.isfinite(weights).all())
    if broken:
        raise InputError(f"{what}: weights that are not finite: {_some(broken)}")
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
    last = max(tokenizer.get_vocab().values())
    try:
        embeddings = count_embeddings(model)
    except AttributeError:
        # a network that reads no text; the probe of its kind says so
        return
    if last >= embeddings:
        raise InputError(f"{what}: the tokenizer has ids up to {last}, the model {embeddings} embeddings")


def count_embeddings(model: PreTrainedModel) -> int:
    """Rows of the embedding. Raises AttributeError for a network without one."""
    # FLAVA has those of its text encoder alone
    table: Any = getattr(model, "text_model", model).get_input_embeddings()
    return int(table.weight.shape[0])


def describe_files(
    auto: Any, directory: Path, config: PretrainedConfig, tokenizer: PreTrainedTokenizerBase
) -> dict[str, Any]:
    """What the manifests of all kinds of models say. auto: as for `load_network`.

    - files: size in bytes and SHA-256 of every file that the model is loaded from
    - model_type, architectures: as the configuration states them
    - parameters: how many numbers the model has, tied ones once
    - vocab_size: rows of the embedding; tokenizer_size: tokens of the tokenizer
    - max_length: how many tokens a text may have, special ones included; None for any number
    - weights_digest, tokenizer_digest, digest: SHA-256 over the digests of the weights (with the
      configuration), of the tokenizer, and of all

    Raises InputError where it is not a model directory.
    """
    chosen = files_of(directory, f"model directory {directory}")
    with quiet_transformers(), torch.device("meta"):
        allowed = is_allowed(directory)
        model = (
            auto.from_config(config, trust_remote_code=allowed)
            if hasattr(auto, "from_config")
            else auto(config)
        )
    sha256 = {name: sha256_of_file(directory / name) for name in chosen.all}
    files = {name: {"size": (directory / name).stat().st_size, "sha256": sha256[name]} for name in chosen.all}
    return {
        "files": files,
        "model_type": config.model_type,
        "architectures": config.architectures,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "vocab_size": count_embeddings(model),
        "tokenizer_size": len(tokenizer),
        "max_length": max_length(config, tokenizer),
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
    if config.model_type == "reformer":
        # what is longer meets others by random hashes
        limits.append(config.lsh_attn_chunk_length)
    if 0 < tokenizer.model_max_length < _UNSET_LENGTH:
        limits.append(tokenizer.model_max_length)
    shortest = min(limits)
    return None if math.isinf(shortest) else int(shortest)


def _digest(digests: list[str]) -> str:
    return hashlib.sha256("\n".join(sorted(digests)).encode()).hexdigest()


def _some(keys: list[str]) -> str:
    return ", ".join(keys[:3]) + (f" and {len(keys) - 3} more" if len(keys) > 3 else "")


def first_line(error: BaseException) -> str:
    """What an error says, in one line."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def not_floating(file: Path) -> list[str]:
    """The names of the tensors in a file of weights that hold something other than floating-point numbers.

    Raises InputError naming the file where it cannot be read, as where a pickle holds more than tensors.
    """
    if file.suffix == ".safetensors":
        try:
            with safe_open(file, framework="pt") as opened:
                kinds = {name: opened.get_slice(name).get_dtype() for name in opened.keys()}  # noqa: SIM118
        except Exception as error:  # corrupt files fail in as many ways as there are formats
            raise InputError(f"{file.name}: {error}") from None
        return sorted(name for name, kind in kinds.items() if not kind.startswith(("F", "BF")))
    try:
        pickled = dict(torch.load(file, map_location="meta", weights_only=True))
    except Exception:  # what PyTorch says of it is advice to read it all the same
        raise InputError(
            f"{file.name} is broken, or holds more than tensors: that could be code, and is not read"
        ) from None
    tensors = {str(name): value for name, value in pickled.items() if torch.is_tensor(value)}
    return sorted(name for name, value in tensors.items() if not value.is_floating_point())
