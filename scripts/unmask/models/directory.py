"""What a model directory consists of, its model's kind, how one is written, and whether its code is run.

transformers runs the Python files that `auto_map` of a model's configuration names, if it is called with
`trust_remote_code=True`, as `from_directory` does where `is_allowed`. Allowed is what was fetched with
`trust_remote_code: true` at a pinned commit, once this process has read that in the study or in the model's
manifest: nothing in a directory can allow itself.
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

MASKED_LM, CAUSAL_LM = "masked-lm", "causal-lm"

SCORE_FILE = "score-file"
"""The kind of a model of which there is a file of scores and nothing else."""

DECODERS = ("gpt2", "llama")
"""The architectures of models trained on a world that are causal language models."""

_DECODER = re.compile(r"\w+(ForCausalLM|(?<!With)LMHeadModel|DoubleHeadsModel)")
"""Names of networks that see only what stands before a token; XLM's …WithLMHeadModel sees both sides."""

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

NAMING = (CONFIG, "tokenizer_config.json")
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


def choose_files(names: Collection[str], read: Callable[[str], str], with_code: bool = False) -> ModelFiles:
    """Choose the files of a model out of all that there are: no other framework's weights, no duplicates.

    `read` gives the text of one of the files; `with_code`: its code is run. Raises InputError where the
    configuration, a tokenizer or the weights are missing, and where code that is run is of another
    repository: a pinned commit says nothing of that.
    """
    if CONFIG not in names:
        has = f"; {ADAPTER} is of an adapter alone" if ADAPTER in names else ""
        raise InputError(f"no {CONFIG}: not a model of the transformers library{has}")
    tokenizer = tokenizer_files(names)
    if not tokenizer:
        raise InputError(f"no tokenizer (none of {', '.join(VOCABULARIES)}; vocab.json needs merges.txt)")
    first = next((name for name in WEIGHTS if name in names), None)
    if first is None:
        others = sorted(name for name in names if name.endswith(_OF_WEIGHTS))
        has = f"; it has {', '.join(others[:3])}" if others else ""
        why = f"neither {WEIGHTS[0]} nor {WEIGHTS[2]}, whole or in shards with their index{has}"
        raise InputError(f"no weights ({why})")
    weights = [first]
    if first.endswith(".index.json"):
        try:
            shards = sorted(set(json.loads(read(first))["weight_map"].values()))
        except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
            raise InputError(f"{first} is not an index of weights") from None
        missing = [str(shard) for shard in shards if shard not in names]
        if missing:
            raise InputError(f"{first} names {missing[0]}, which is not there")
        weights += shards
    for file in [each for each in NAMING if with_code and each in names]:
        for module in _named(read(file)):
            if "--" in module:
                repo = module.partition("--")[0]
                raise InputError(f"{file} names code of another repository, {repo}, which is never run")
    return ModelFiles(tokenizer, tuple(weights), code_files(names) if with_code else ())


def tokenizer_files(names: Collection[str]) -> tuple[str, ...]:
    """The files of a tokenizer; none where there is no whole vocabulary among them."""
    present = tuple(name for name in TOKENIZER_FILES if name in names)
    # without its merges a byte-pair vocabulary would load, and split every word into bytes
    usable = [
        name for name in VOCABULARIES if name in present and (name != "vocab.json" or "merges.txt" in present)
    ]
    return present if usable else ()


def files_of(directory: Path) -> ModelFiles:
    """`choose_files` of a directory. Raises InputError where it is none, or no model's, or has an adapter
    beside its weights."""
    if not directory.is_dir():
        raise InputError(f"{directory} is not a directory")
    names = [path.name for path in directory.iterdir() if path.is_file()]
    files = choose_files(names, lambda name: (directory / name).read_text("utf-8"), is_allowed(directory))
    if ADAPTER in names:
        raise InputError(
            f"{ADAPTER} lies beside its weights, and no adapter is applied: merge it into the model first "
            "(docs/adding.md), or take it away"
        )
    return files


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
        # the size first, as it costs nothing
        is_there = path.is_file() and path.stat().st_size == file["size"]
        if not is_there or sha256_of_file(path) != file["sha256"]:
            raise InputError(
                f"{path}: is gone, or another file than when the model was checked; {remedy} and run again"
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


def from_directory(auto: Any, directory: str | Path, **options: Any) -> Any:
    """What a class of transformers makes of a model's directory, with code of the model's own if it may be
    run. options: as of the class's `from_pretrained`."""
    allowed = is_allowed(directory)
    return auto.from_pretrained(directory, local_files_only=True, trust_remote_code=allowed, **options)


def code_files(names: Collection[str]) -> tuple[str, ...]:
    """Of the names of a model's files, those of code: all that modules of its own can import."""
    return tuple(sorted(name for name in names if name.endswith(".py") and "/" not in name))


def code_not_run(directory: str | Path) -> str:
    """Said behind a fault of a model that has code of its own that is not run: the key that would run it."""
    files = [path for name in NAMING if (path := Path(directory) / name).is_file()]
    named = [each for path in files for each in _named(path.read_text(encoding="utf-8"))]
    if is_allowed(directory) or not named:
        return ""
    return (
        f"; the model names code of its own ({named[0]}), which is not run: if you trust it, set {KEY}: true "
        "and a commit as revision in its entry (source: hub)"
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


def is_decoder(directory: Path) -> bool:
    """Whether all networks that a model's config.json names see what stands before a token alone."""
    # what cannot be read is left to the job that checks the model
    with suppress(OSError, ValueError, LookupError, TypeError):
        stated = json.loads((directory / CONFIG).read_bytes())["architectures"]
        # a folder that holds a masked network, too, is a masked one's
        return isinstance(stated, list) and stated != [] and all(map(_DECODER.fullmatch, stated))
    return False
