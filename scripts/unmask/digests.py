"""Digests of what a result depends on: its code, and files from outside the results."""

import ast
import hashlib
import json
import os
import re
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from unmask import LIBRARY, workflow_root
from unmask.columns import columns_of
from unmask.files import faults_of, sha256_of_file

PLUMBING = frozenset({"unmask/errors.py", "unmask/files.py", "unmask/job.py"})
"""Modules that change no number: how a job logs, waits, fails, writes files and states how they were made.

They stand outside every digest, so a change of them redoes nothing. None may import what is not of this list.
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
    files = files_of(script, *modules)
    if not modules and LIBRARY / "plugins.py" in files:
        raise ValueError(f"{script}: name the modules that it loads by name to its digest")
    counted = sorted(files - {LIBRARY.parent / module for module in PLUMBING})
    return hashlib.sha256(b"".join(_read(path)[0] for path in counted)).hexdigest()[:16]


def files_of(script: str | Path, *modules: str | Path) -> set[Path]:
    """The script, the modules, and every module of this library that they import, directly or not."""
    files: set[Path] = set()
    waiting = {Path(script).resolve()}
    for module in modules:
        waiting |= {LIBRARY.parent / module, *_files(".".join(Path(module).with_suffix("").parts))}
    while waiting:
        files |= waiting
        waiting = {file for path in waiting for name in _read(path)[1] for file in _files(name)} - files
    return files


@cache
def _files(name: str) -> frozenset[Path]:
    """The files of this library that are run where a module is imported: its own, and those of packages."""
    top, *parts = name.split(".")
    bases = [LIBRARY.joinpath(*parts[:count]) for count in range(len(parts) + 1) if top == LIBRARY.name]
    return frozenset(
        file for base in bases for file in (base / "__init__.py", base.with_suffix(".py")) if file.is_file()
    )


@cache
def _read(path: Path) -> tuple[bytes, frozenset[str]]:
    """Of a source file a digest, and all names that it imports: one from a module may be a module itself.

    The digest is of its name, its syntax tree without docstrings, and the files of resources/ that it names.
    """
    tree = ast.parse(path.read_bytes(), filename=str(path))
    names: set[str] = set()
    resources: set[Path] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                names |= {alias.name for alias in aliases}
            case ast.ImportFrom(module=str(module), names=aliases):
                names |= {module, *(f"{module}.{alias.name}" for alias in aliases)}
            case ast.Call(func=ast.Name(id="schema"), args=[ast.Constant(value=str(columns)) as text]):
                text.value = str([(name, type_) for name, type_, _ in columns_of(columns)])
            case ast.Constant(value=str(text)) if text.startswith("resources/"):
                resources.add(workflow_root() / text)
        if isinstance(statements := getattr(node, "body", None), list):
            statements[:] = [
                each
                for each in statements
                if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
            ]
    digest = hashlib.sha256(f"{path.name} {ast.dump(tree)}".encode())
    for file in sorted(resources):
        digest.update(file.read_bytes() if file.is_file() else b"")
    return digest.digest(), frozenset(names)


SETTLED = 2.0
"""Seconds after which a change of a file has changed its dates as well, on any file system."""


class DigestCache:
    """SHA-256 of files from outside the results: their content decides, not their dates.

    They are remembered in a file by place, size and dates: what is as it was is not read again.

    The file `cache` has a line for each digest, of which the last counts; it may be lost, or not writable.
    """

    def __init__(self, cache: str | Path) -> None:
        self._cache = Path(cache)
        self._known: dict[str, str] = {}
        with suppress(OSError, UnicodeDecodeError):
            # a line may be cut short by a kill
            lines = re.findall(r"^([0-9a-f]{64}) (.+)$", self._cache.read_text("utf-8"), re.MULTILINE)
            self._known = {seen: sha256 for sha256, seen in lines}

    def of(self, path: str | Path) -> str:
        """The SHA-256 of a file. Raises InputError where it cannot be read."""
        with faults_of(path):
            # no program can set the date of the last change (ctime)
            stat = os.stat(path)
            dates = [stat.st_mtime_ns, stat.st_ctime_ns]
            seen = json.dumps([os.path.abspath(path), stat.st_size, *dates, stat.st_ino])
            # what was just written could change again within one tick of the clock
            is_settled = time.time() - stat.st_ctime > SETTLED
            sha256 = self._known.get(seen) or sha256_of_file(path)
        if is_settled and seen not in self._known:
            with suppress(OSError):
                self._cache.parent.mkdir(parents=True, exist_ok=True)
                with open(self._cache, "a", encoding="utf-8") as file:
                    file.write(f"{sha256} {seen}\n")
        self._known[seen] = sha256
        return sha256
