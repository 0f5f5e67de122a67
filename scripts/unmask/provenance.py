"""Where a result came from: the code it depends on and the versions at work."""

import ast
import hashlib
import importlib.metadata
import platform
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import unmask
from unmask.files import sha256_of_file

LIBRARY = Path(__file__).resolve().parent
"""The folder of the package `unmask`."""


def code_digest(script: str | Path) -> str:
    """A digest of a script and of every module of this library that it imports, directly or not.

    Comments and formatting do not count, so a change of either redoes nothing.
    """
    seen: set[Path] = set()
    waiting = [Path(script).resolve()]
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting.extend(_imports(path))
    digest = hashlib.sha256()
    for path in sorted(seen):
        digest.update(path.name.encode())
        digest.update(_code(path).encode())
    return digest.hexdigest()[:16]


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes(), filename=str(path))


@cache
def _code(path: Path) -> str:
    return ast.dump(_tree(path))


@cache
def _imports(path: Path) -> tuple[Path, ...]:
    names: set[str] = set()
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            # the imported name may be a module itself
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    found: set[Path] = set()
    for name in names:
        parts = name.split(".")
        if parts[0] == LIBRARY.name:
            # importing a.b.c runs a, a.b and a.b.c
            for length in range(1, len(parts) + 1):
                found |= _module_file(parts[1:length])
    return tuple(sorted(found))


def _module_file(parts: list[str]) -> set[Path]:
    base = LIBRARY.joinpath(*parts)
    return {path for path in (base / "__init__.py", base.with_suffix(".py")) if path.is_file()}


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
        "unmask": unmask.__version__,
        **{package: importlib.metadata.version(package) for package in packages},
    }
