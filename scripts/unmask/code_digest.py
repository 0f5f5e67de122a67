"""What code a result depends on, as a digest."""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

LIBRARY = Path(__file__).resolve().parent
"""The folder of the package `unmask`."""


def code_digest(script: str | Path, *modules: str | Path) -> str:
    """A digest of a script, of modules that it loads by name, and of all of this library that these import.

    `modules` are files below the folder of LIBRARY, such as unmask/benchmarks/formats/stereoset.py; what is
    loaded by name (`unmask.by_name`) is seen no other way. Comments, docstrings and formatting do not count,
    so a change of these redoes nothing.
    Raises FileNotFoundError where a file is not there.
    """
    digest = hashlib.sha256()
    for path in sorted(files_of(script, *modules)):
        digest.update(path.name.encode())
        digest.update(_code(path))
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


@cache
def _tree(path: Path) -> ast.Module:
    """A module without the texts that stand alone: docstrings of modules, functions, classes and values."""
    tree = ast.parse(path.read_bytes(), filename=str(path))
    for node in [tree, *_statements(tree)]:
        for block in ("body", "orelse", "finalbody"):
            if statements := getattr(node, block, None):
                setattr(node, block, [each for each in statements if not _is_text(each)])
    return tree


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


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
