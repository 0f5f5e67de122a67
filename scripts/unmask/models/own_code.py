"""Code that comes with a model, which is run only where the study's entry of the model allows it.

transformers runs the Python files that `auto_map` of a model's configuration names, if it is called with
`trust_remote_code=True`; what loads a model passes `is_allowed(directory)` there. Allowed is what was fetched
with `trust_remote_code: true` at a pinned commit, once this process has read that in the study or in the
model's manifest: nothing in a directory can allow itself.
"""

import json
import re
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from unmask.errors import InputError

KEY = "trust_remote_code"
"""Of the entry of a model."""

NAMING = ("config.json", "tokenizer_config.json", "preprocessor_config.json", "processor_config.json")
"""Files that may name code, under `auto_map`."""

_allowed: set[Path] = set()


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
