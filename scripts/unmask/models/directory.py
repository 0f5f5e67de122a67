"""What a model directory consists of, how one is written whole, and whether code in it is run.

transformers runs the Python files that `auto_map` of a model's configuration names, if it is called with
`trust_remote_code=True`; what loads a model passes `is_allowed(directory)` there. Allowed is what was fetched
with `trust_remote_code: true` at a pinned commit, once this process has read that in the study or in the
model's manifest: nothing in a directory can allow itself.
"""

import json
import re
import shutil
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unmask.errors import InputError
from unmask.files import sha256_of_file, written_whole

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


KEY = "trust_remote_code"
"""Of the entry of a model."""

NAMING = ("config.json", "tokenizer_config.json", "preprocessor_config.json", "processor_config.json")
"""Files that may name code, under `auto_map`."""

_allowed: set[Path] = set()


@dataclass(frozen=True)
class ModelFiles:
    """The names of the files that a model is loaded from."""

    tokenizer: tuple[str, ...]
    weights: tuple[str, ...]
    code: tuple[str, ...] = ()
    """Python files that are run as the model is loaded (`allow`)."""

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
        if not path.is_file():
            raise InputError(f"{path}: is missing; {remedy} and run again")
        # the size first, as it costs nothing
        if path.stat().st_size != file["size"] or sha256_of_file(path) != file["sha256"]:
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


def allow(directory: str | Path, entry: Mapping[str, Any]) -> None:
    """Allow the code in a model's directory to be run by this process, if the model's entry does."""
    if entry.get(KEY):
        _allowed.add(Path(directory).resolve())


def is_allowed(directory: str | Path) -> bool:
    """Whether the code in a model's directory may be run."""
    return Path(directory).resolve() in _allowed


def code_files(names: Collection[str]) -> tuple[str, ...]:
    """Of the names of a model's files, those of code: all that modules of its own can import."""
    return tuple(sorted(name for name in names if name.endswith(".py") and "/" not in name))


def check_named(names: Collection[str], read: Callable[[str], str], what: str) -> None:
    """Check that all code that a model names is its own: a pinned commit says nothing of another repository.

    read: gives the text of one of the files. Raises InputError beginning with `what` for code of another
    repository.
    """
    for file in [each for each in NAMING if each in names]:
        for module in _named(read(file)):
            if "--" in module:
                repo = module.partition("--")[0]
                raise InputError(
                    f"{what}: {file} names code of another repository, {repo}, which is never run"
                )


def why_refused(directory: str | Path, fault: InputError) -> InputError:
    """The fault of a model; if it has code of its own that is not run, with the key that would run it."""
    files = [path for name in NAMING if (path := Path(directory) / name).is_file()]
    named = [each for path in files for each in _named(path.read_text(encoding="utf-8"))]
    if is_allowed(directory) or not named:
        return fault
    return InputError(
        f"{fault}; the model names code of its own ({named[0]}), which is not run: if you trust it, set "
        f"{KEY}: true and a commit as revision in its entry (source: hub)"
    )


def _named(text: str) -> list[str]:
    """The classes that a configuration has under `auto_map`, wherever these stand, as module.Class or
    repository--module.Class."""
    named: list[str] = []

    def note(part: dict[str, Any]) -> dict[str, Any]:
        texts = re.findall(r'"([^"]+)"', json.dumps(part.get("auto_map")))
        named.extend(each for each in texts if "." in each or "--" in each)
        return part

    # who loads the file says what is wrong with it
    with suppress(ValueError, RecursionError):
        json.loads(text, object_hook=note)
    return named
