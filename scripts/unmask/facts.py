"""Facts about results: what they state of how they were made, and files of facts, always the same bytes."""

import importlib.metadata
import json
import platform
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from unmask import __version__
from unmask.files import sha256_of_file, write_text


def read_facts(path: str | Path) -> dict[str, Any]:
    """Facts that `write_facts` has written."""
    facts: dict[str, Any] = json.loads(Path(path).read_bytes())
    return facts


def write_facts(path: str | Path, facts: Mapping[str, Any]) -> None:
    """Write facts as JSON with sorted keys, whole or not at all."""
    write_text(path, json.dumps(dict(facts), indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def record(inputs: Iterable[str | Path], code: str, *packages: str) -> dict[str, Any]:
    """What a result states of how it was made; unmask.results.verifying compares it with what is there.

    made_from: the SHA-256 of each input by its path, but for folders, whose manifests are inputs too; code: a
    digest as `code_digest` gives it; versions: of Python, of this library and of the `packages` named.
    """
    made_from = {str(path): sha256_of_file(path) for path in inputs if not Path(path).is_dir()}
    return {"made_from": made_from, "code": code, "versions": versions(*packages)}


def versions(*packages: str) -> dict[str, str]:
    """The versions of Python, of this library and of the `packages` named."""
    return {
        "python": platform.python_version(),
        "unmask": __version__,
        **{package: importlib.metadata.version(package) for package in packages},
    }
