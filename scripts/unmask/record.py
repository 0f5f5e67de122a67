"""What a result says of how it was made."""

import importlib.metadata
import platform
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from unmask.files import sha256_of_file

# a text file: a release changes no code, and so redoes nothing
VERSION = Path(__file__).with_name("VERSION").read_text().strip()


def record(inputs: Iterable[str | Path], code: str, *packages: str) -> dict[str, Any]:
    """What a result says of how it was made; unmask.results.verifying holds it against what is there.

    made_from: the SHA-256 of each input by its path; code: a digest as `code_digest` gives it; versions: of
    Python, of this library and of the `packages` named.
    """
    made_from = {str(path): sha256_of_file(path) for path in inputs}
    return {"made_from": made_from, "code": code, "versions": versions(*packages)}


def versions(*packages: str) -> dict[str, str]:
    """The versions of Python, of this library and of the `packages` named."""
    return {
        "python": platform.python_version(),
        "unmask": VERSION,
        **{package: importlib.metadata.version(package) for package in packages},
    }
