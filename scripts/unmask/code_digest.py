"""What code a result depends on, as a digest."""

import ast
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from unmask.columns import columns_of
from unmask.errors import InputError
from unmask.files import write_text
from unmask.installation import workflow_root

LIBRARY = Path(__file__).resolve().parent
"""The folder of the package `unmask`."""

PLUMBING = frozenset(
    {
        "unmask/atomic.py",
        "unmask/downloads.py",
        "unmask/errors.py",
        "unmask/evidence/progress.py",
        "unmask/joblog.py",
    }
)
"""Modules that change no result: how a job logs, waits, fails, and gives files their names.

They stand outside every digest, so a change of them redoes nothing. None may be imported for a value, and
none may import what is not of this list: tests/unit/test_plumbing.py sees to both.
"""

_OWN_SOURCE = Path(__file__).read_bytes()


def code_digest(script: str | Path, *modules: str | Path) -> str:
    """A digest of a script, of modules that it loads by name, and of all of this library that these import.

    All but PLUMBING, which changes no result. What columns mean (unmask.tables.schema) does not count either.

    `modules` are files below the folder of LIBRARY, such as unmask/benchmarks/formats/stereoset.py; what is
    loaded by name (`unmask.plugins`) is seen no other way. Comments, docstrings and formatting do not count,
    so a change of these redoes nothing. Files that a module names (`resources/…`) count whole.
    Raises FileNotFoundError where a file is not there.
    """
    digest = hashlib.sha256()
    for path in sorted(files_of(script, *modules) - {LIBRARY.parent / module for module in PLUMBING}):
        digest.update(path.name.encode())
        digest.update(bytes.fromhex(_module(path).code))
        for name in _module(path).resources:
            digest.update((workflow_root() / name).read_bytes())
    return digest.hexdigest()[:16]


def files_of(script: str | Path, *modules: str | Path) -> set[Path]:
    """The script, the modules, and every module of this library that they import, directly or not."""
    seen: set[Path] = set()
    waiting = [Path(script).resolve()]
    for module in modules:
        waiting.extend(_loaded(LIBRARY.parent / module))
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting.extend(_imports(path))
    return seen


def _loaded(module: Path) -> Iterator[Path]:
    """A module, and the packages that are run when it is loaded."""
    yield module.resolve()
    for package in module.relative_to(LIBRARY.parent).parents:
        init = LIBRARY.parent / package / "__init__.py"
        if init.is_file():
            yield init.resolve()


@dataclass(frozen=True)
class _Module:
    code: str
    """A digest of its syntax tree without docstrings."""
    names: Sequence[str]
    """All names that it imports; what is imported from a module may be a module itself."""
    resources: Sequence[str]
    """The files of resources/ that it names."""


@cache
def _module(path: Path) -> _Module:
    """What a source file has, from beside its compiled code where it was read before."""
    source = path.read_bytes()
    # the tree is the interpreter's, what is made of it this file's
    made_of = hashlib.sha256(b"\0".join([sys.version.encode(), _OWN_SOURCE, source])).hexdigest()
    cache = path.parent / "__pycache__" / f"{path.stem}.{sys.implementation.cache_tag}.digest.json"
    with suppress(OSError, ValueError, KeyError):
        cached = json.loads(cache.read_text(encoding="utf-8"))
        if cached.pop("made_of") == made_of:
            return _Module(**cached)
    module = _parsed(source, path)
    if not sys.dont_write_bytecode:
        with suppress(OSError, InputError):
            cache.parent.mkdir(exist_ok=True)
            write_text(cache, json.dumps({"made_of": made_of, **asdict(module)}))
    return module


def _parsed(source: bytes, path: Path) -> _Module:
    tree = ast.parse(source, filename=str(path))
    names: set[str] = set()
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    for node in [tree, *_statements(tree)]:
        for block in ("body", "orelse", "finalbody"):
            if statements := getattr(node, block, None):
                setattr(node, block, [each for each in statements if not _is_docstring(each)])
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "schema":
            for text in call.args:
                if isinstance(text, ast.Constant) and isinstance(text.value, str):
                    text.value = str([(name, type_) for name, type_, _ in columns_of(text.value)])
    texts = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    resources = [
        text for text in sorted(texts) if text.startswith("resources/") and (workflow_root() / text).is_file()
    ]
    return _Module(hashlib.sha256(ast.dump(tree).encode()).hexdigest(), sorted(names), resources)


def _is_docstring(node: ast.stmt) -> bool:
    """Whether a statement is a docstring."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


@cache
def _imports(path: Path) -> tuple[Path, ...]:
    of_library = [parts for name in _module(path).names if (parts := name.split("."))[0] == LIBRARY.name]
    # importing a.b.c runs a, a.b and a.b.c
    modules = {tuple(parts[1:length]) for parts in of_library for length in range(1, len(parts) + 1)}
    return tuple(sorted(file for module in modules for file in _module_files(module)))


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """The statements below a node; an import is never inside an expression, of which there are many more."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield child
            yield from _statements(child)


@cache
def _module_files(parts: tuple[str, ...]) -> list[Path]:
    base = LIBRARY.joinpath(*parts)
    return [path for path in (base / "__init__.py", base.with_suffix(".py")) if path.is_file()]
