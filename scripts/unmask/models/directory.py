"""What a model directory consists of, and how one is written whole."""

import json
import shutil
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unmask.atomic import written_whole
from unmask.errors import InputError
from unmask.files import sha256_of_file
from unmask.models.own_code import allow, code_files, is_allowed

CONFIG = "config.json"
VOCABULARIES = (
    *("tokenizer.json", "vocab.txt", "vocab.json", "spiece.model", "sentencepiece.bpe.model"),
    *("sentencepiece.model", "spm.model", "tokenizer.model", "bpe.codes"),
)
"""Files of which a tokenizer has at least one."""
TOKENIZER_FILES = (
    *VOCABULARIES,
    *("merges.txt", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"),
)
WEIGHTS = tuple(
    f"{name}{index}" for name in ("model.safetensors", "pytorch_model.bin") for index in ("", ".index.json")
)
"""Weights in order of preference: safetensors holds numbers only, and says of what kind at its head."""
_OF_WEIGHTS = (".safetensors", ".bin", ".pt", ".pth", ".ckpt", ".gguf", ".h5", ".msgpack", ".onnx")
"""How names of files end that have weights in some form."""

ADAPTER = "adapter_config.json"
"""A file of an adapter of the PEFT library, which is no model alone."""


@dataclass(frozen=True)
class ModelFiles:
    """The names of the files that a model is loaded from."""

    tokenizer: tuple[str, ...]
    weights: tuple[str, ...]
    code: tuple[str, ...] = ()
    """Python files that are run as the model is loaded (unmask.models.own_code)."""

    @property
    def all(self) -> tuple[str, ...]:
        """Every file; the weights last, so that where they have come the rest has too."""
        return (CONFIG, *self.tokenizer, *self.code, *self.weights)


def choose_files(
    names: Collection[str], read: Callable[[str], str], what: str, with_code: bool = False
) -> ModelFiles:
    """Choose the files of a model out of all that there are: no other framework's weights, no duplicates.

    `read` gives the text of one of the files (for the index of weights in several shards); `with_code`: its
    code is run. Raises InputError beginning with `what` where the configuration, a tokenizer or the weights
    are missing.
    """
    if CONFIG not in names:
        has = f"; {ADAPTER} is of an adapter alone" if ADAPTER in names else ""
        raise InputError(f"{what}: no {CONFIG}: not a model of the transformers library{has}")
    tokenizer = tokenizer_files(names)
    if not tokenizer:
        raise InputError(
            f"{what}: no tokenizer (none of {', '.join(VOCABULARIES)}; vocab.json needs merges.txt)"
        )
    first = next((name for name in WEIGHTS if name in names), None)
    if first is None:
        others = sorted(name for name in names if name.endswith(_OF_WEIGHTS))
        has = f"; it has {', '.join(others[:3])}" if others else ""
        why = f"neither {WEIGHTS[0]} nor {WEIGHTS[2]}, whole or in shards with their index{has}"
        raise InputError(f"{what}: no weights ({why})")
    weights = [first]
    if first.endswith(".index.json"):
        try:
            shards = sorted(set(json.loads(read(first))["weight_map"].values()))
        except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
            raise InputError(f"{what}: {first} is not an index of weights") from None
        missing = [str(shard) for shard in shards if shard not in names]
        if missing:
            raise InputError(f"{what}: {first} names {missing[0]}, which is not there")
        weights += shards
    return ModelFiles(tokenizer, tuple(weights), code_files(names) if with_code else ())


def tokenizer_files(names: Collection[str]) -> tuple[str, ...]:
    """The files of a tokenizer; none where there is no whole vocabulary among them."""
    present = tuple(name for name in TOKENIZER_FILES if name in names)
    # without its merges a byte-pair vocabulary would load, and split every word into bytes
    usable = [
        name for name in VOCABULARIES if name in present and (name != "vocab.json" or "merges.txt" in present)
    ]
    return present if usable else ()


def files_of(directory: Path, what: str) -> ModelFiles:
    """`choose_files` of a directory. Raises InputError where it is none, or no model's."""
    if not directory.is_dir():
        raise InputError(f"{what}: {directory} is not a directory")
    names = [path.name for path in directory.iterdir() if path.is_file()]
    return choose_files(
        names, lambda name: (directory / name).read_text(encoding="utf-8"), what, is_allowed(directory)
    )


def check_files(manifest: Mapping[str, Any]) -> None:
    """Raise InputError where a file that a manifest describes is gone, truncated or another since.

    Code among these files may then be run, if the manifest says that the study allows it.
    """
    directory = Path(manifest["directory"])
    is_users = manifest["entry"]["source"] == "path"
    # with the manifest beside it, or Snakemake would not see what is missing
    remedy = "put the file back" if is_users else f"delete {directory.parent}"
    for name, file in manifest["files"].items():
        path = directory / name
        size = path.stat().st_size if path.is_file() else None
        if size != file["size"]:
            has = "is missing" if size is None else f"has {size} bytes"
            raise InputError(
                f"{path}: {has}, it had {file['size']} when the model was checked; {remedy} and run again"
            )
        if sha256_of_file(path) != file["sha256"]:
            raise InputError(
                f"{path}: is another file than when the model was checked; {remedy} and run again"
            )
    allow(directory, manifest["entry"])


def save_like(model: Any, origin: Path, directory: str | Path, **options: Any) -> None:
    """Write a network of transformers with the files of the tokenizer in `origin`, and with its code where
    that may be run, to `directory`, whole or not at all. options: of its `save_pretrained`.
    """
    names = [path.name for path in origin.iterdir() if path.is_file()]
    code = code_files(names) if is_allowed(origin) else ()
    with written_whole(directory, folder=True) as partial:
        model.save_pretrained(partial, **options)
        for name in (*tokenizer_files(names), *code):
            shutil.copyfile(origin / name, partial / name)
