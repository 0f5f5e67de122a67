"""Files and folders that appear whole or not at all, what is wrong with one, their digests and lists of
these, and facts of how they were made.

What is in them is for the caller to say: nothing here changes a number (see PLUMBING in digests).
"""

import errno
import hashlib
import importlib.metadata
import json
import os
import platform
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from unmask import __version__
from unmask.errors import InputError

LIST = "digests.json"
"""The name of a list, in the folder of its tables."""

NOT_WRITTEN = "cannot be written"
_UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)


@contextmanager
def faults_of(path: str | Path, kind: str = "cannot be read") -> Iterator[None]:
    """Raise what the system, Arrow or a decoder finds wrong with a file in the block as an InputError.

    kind: what is then said of a file that is there, such as `not a readable Parquet file`.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, FileNotFoundError) and kind != NOT_WRITTEN:
            raise InputError(f"{path}: no such file") from None
        # by name: who reads text alone should not have to load Arrow
        of_arrow = any(each.__module__.partition(".")[0] == "pyarrow" for each in type(error).__mro__)
        if not of_arrow and not isinstance(error, OSError | EOFError | UnicodeError):
            raise
        raise InputError(f"{path}: {kind} ({getattr(error, 'strerror', None) or error})") from None


@contextmanager
def written_whole(path: str | Path, folder: bool = False) -> Iterator[Path]:
    """A name beside `path` for a file (or a new folder), which becomes `path` when the block ends well.

    It is `.{stem}.partial{suffix}`: what a killed job has left there goes when the job runs again. No two
    processes write a path at a time, as a job holds a lock.
    Raises InputError naming `path` where it cannot be written: a full disk, no permission.
    """
    path = Path(path)
    partial = path.with_name(f".{path.stem}.partial{path.suffix}")
    with faults_of(path, NOT_WRITTEN):
        path.parent.mkdir(parents=True, exist_ok=True)
        remove(partial)
        if folder:
            partial.mkdir()
    try:
        yield partial
        if folder:
            remove(path)
        else:
            # after a power cut a name may have come to the disk before its content
            with open(partial, "rb") as file:
                os.fsync(file.fileno())
        os.replace(partial, path)
    except Exception as error:
        if not isinstance(error, InputError) and (reason := why_not_written(error)):
            raise InputError(f"{path}: {NOT_WRITTEN} ({reason})") from error
        raise
    finally:
        with suppress(OSError):
            remove(partial)


def remove(path: Path) -> None:
    """Remove a file or a folder, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def why_not_written(error: Exception) -> str | None:
    """The system's reason where an error comes of a full disk or one that takes no writing, else None."""
    for number in _UNWRITABLE:
        # some libraries raise errors of their own, with the system's words in them
        if getattr(error, "errno", None) == number or os.strerror(number) in str(error):
            return os.strerror(number)
    return None


def write_text(path: str | Path, text: str) -> None:
    """Write a text file in UTF-8, whole or not at all."""
    with written_whole(path) as partial:
        partial.write_text(text, encoding="utf-8")


def sha256_of_file(path: str | Path) -> str:
    """Hexadecimal SHA-256 of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def git_blob_of_file(path: str | Path) -> str:
    """Hexadecimal git blob id of a file: SHA-1 over `blob <size>\\0` and its bytes."""
    begun = hashlib.sha1(b"blob %d\0" % Path(path).stat().st_size, usedforsecurity=False)
    with open(path, "rb") as file:
        return hashlib.file_digest(file, lambda: begun).hexdigest()


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
    own = {"python": platform.python_version(), "unmask": __version__}
    return {
        "made_from": {str(path): sha256_of_file(path) for path in inputs if not Path(path).is_dir()},
        "code": code,
        "versions": own | {package: importlib.metadata.version(package) for package in packages},
    }


def write_list(list_: Path, tables: Iterable[Path], facts: Mapping[str, Any]) -> None:
    """List tables of the list's folder with their digests, beside facts of the job."""
    digests = {str(path.relative_to(list_.parent)): sha256_of_file(path) for path in tables}
    write_facts(list_, {**facts, "tables": digests})


def listed(list_: str | Path) -> dict[str, Path]:
    """The tables of a list by their names there, as paths.

    Raises InputError where one is not as its job wrote it.
    """
    digests = digests_of(Path(list_))
    if digests is None:
        raise InputError(f"{list_}: not a readable list of tables; delete it and run again")
    tables = {name: Path(list_).parent / name for name in digests}
    for name, table in tables.items():
        if not table.is_file() or sha256_of_file(table) != digests[name]:
            problem = "was altered after its job wrote it" if table.is_file() else "is missing"
            raise InputError(f"{table}: {problem}; delete it and {list_} and run again")
    return tables


def digests_of(list_: Path) -> dict[str, str] | None:
    """The digests of the tables of a list; None where there is none that can be read."""
    try:
        digests: dict[str, str] = read_facts(list_)["tables"]
    except (OSError, ValueError, KeyError):
        return None
    return digests
