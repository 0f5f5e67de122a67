"""Where a result came from: the code it depends on and the versions at work."""

import ast
import hashlib
import importlib.metadata
import platform
from collections.abc import Iterable, Iterator
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
        digest.update(_code(path))
    return digest.hexdigest()[:16]


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes(), filename=str(path))


@cache
def _code(path: Path) -> bytes:
    return hashlib.sha256(ast.dump(_tree(path)).encode()).digest()


@cache
def _imports(path: Path) -> tuple[Path, ...]:
    names: set[str] = set()
    for node in _statements(_tree(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            # the imported name may be a module itself
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    of_library = [tuple(name.split(".")) for name in names if name.split(".")[0] == LIBRARY.name]
    # importing a.b.c runs a, a.b and a.b.c
    modules = {parts[1:length] for parts in of_library for length in range(1, len(parts) + 1)}
    return tuple(sorted(file for module in modules for file in _module_files(module)))


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """The statements below a node; an import is never inside an expression, of which there are many more."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield child
            yield from _statements(child)


def _module_files(parts: tuple[str, ...]) -> list[Path]:
    base = LIBRARY.joinpath(*parts)
    return [path for path in (base / "__init__.py", base.with_suffix(".py")) if path.is_file()]


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
