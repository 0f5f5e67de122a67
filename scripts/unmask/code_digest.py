"""What code a result depends on, as a digest."""

import ast
import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from unmask import LIBRARY, workflow_root
from unmask.columns import columns_of

PLUMBING = frozenset(
    {
        "unmask/errors.py",
        "unmask/files.py",
        "unmask/joblog.py",
    }
)
"""Modules that change no result: how a job logs, waits, fails, and gives files their names.

They stand outside every digest, so a change of them redoes nothing. None may be imported for a value, and
none may import what is not of this list: tests/unit/test_code_digest.py sees to both.
"""


def code_digest(script: str | Path, *modules: str | Path) -> str:
    """A digest of a script, of modules that it loads by name, and of all of this library that these import.

    All but PLUMBING, which changes no result. What columns mean (unmask.tables.schema) does not count either.

    `modules` are files below the folder of LIBRARY, such as unmask/debiasing/swapping.py; what is
    loaded by name (`unmask.plugins`) is seen no other way. Comments, docstrings and formatting do not count,
    so a change of these redoes nothing. Files that a module names (`resources/…`) count whole.
    Raises FileNotFoundError where a file is not there, and ValueError where a script loads modules by name
    and none is named here.
    """
    digest, files = hashlib.sha256(), files_of(script, *modules)
    if not modules and LIBRARY / "plugins.py" in files:
        raise ValueError(f"{script}: name the modules that it loads by name to its digest")
    for path in sorted(files - {LIBRARY.parent / module for module in PLUMBING}):
        module = _module(path)
        digest.update(path.name.encode() + bytes.fromhex(module.code))
        for name in module.resources:
            digest.update((workflow_root() / name).read_bytes())
    return digest.hexdigest()[:16]


def files_of(script: str | Path, *modules: str | Path) -> set[Path]:
    """The script, the modules, and every module of this library that they import, directly or not."""
    seen: set[Path] = set()
    waiting = [Path(script).resolve()]
    for module in modules:
        waiting.append(LIBRARY.parent / module)
        waiting.extend(_files(".".join(Path(module).with_suffix("").parts)))
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting.extend(_imports(path))
    return seen


@cache
def _imports(path: Path) -> frozenset[Path]:
    return frozenset().union(*map(_files, _module(path).names))


@cache
def _files(name: str) -> frozenset[Path]:
    """The files of this library that are run where a module is imported: its own, and those of packages."""
    top, *parts = name.split(".")
    bases = [LIBRARY.joinpath(*parts[:count]) for count in range(len(parts) + 1) if top == LIBRARY.name]
    return frozenset(
        file for base in bases for file in (base / "__init__.py", base.with_suffix(".py")) if file.is_file()
    )


class _Module(NamedTuple):
    """A source file: the digest of its syntax tree without docstrings, all names that it imports (what is
    imported from a module may be a module itself), and the files of resources/ that it names."""

    code: str
    names: list[str]
    resources: list[str]


@cache
def _module(path: Path) -> _Module:
    tree = ast.parse(path.read_bytes(), filename=str(path))
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "schema":
            for text in node.args:
                if isinstance(text, ast.Constant) and isinstance(text.value, str):
                    text.value = str([(name, type_) for name, type_, _ in columns_of(text.value)])
        for block in ("body", "orelse", "finalbody"):
            if isinstance(statements := getattr(node, block, None), list):
                setattr(node, block, [each for each in statements if not _is_docstring(each)])
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    named = sorted(text for text in texts if isinstance(text, str) and text.startswith("resources/"))
    resources = [name for name in named if (workflow_root() / name).is_file()]
    return _Module(hashlib.sha256(ast.dump(tree).encode()).hexdigest(), sorted(names), resources)


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
