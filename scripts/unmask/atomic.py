"""Files and folders that appear whole or not at all.

What is in them is for the caller to say: nothing here decides a byte of it (see PLUMBING in code_digest).
"""

import errno
import fcntl
import glob
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from unmask.errors import InputError


@contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """A path beside `path` to write to; it takes `path`'s place only when the block ends well.

    Raises InputError naming `path` where it cannot be written: a full disk, no permission.
    """
    path = Path(path)
    with partial_beside(path) as partial:
        yield partial
        os.chmod(partial, 0o644)
        # after a power cut a name may have come to the disk before its content
        with open(partial, "rb") as file:
            os.fsync(file.fileno())
        os.replace(partial, path)


@contextmanager
def partial_beside(path: Path, folder: bool = False) -> Iterator[Path]:
    """A new file (or folder) beside `path`, gone when the block ends unless the block has moved it.

    Its name is `.{stem}.partial-{random}{suffix}`. A writer that is killed leaves its own; the next
    writer of the same `path` removes it, and knows by the lock on it whether its writer still lives.
    Raises InputError naming `path` where the block, or this, fails because it cannot be written.
    """
    try:
        with _new_partial(path, folder) as partial:
            try:
                yield partial
            finally:
                _remove(partial)
    except InputError:
        raise
    except Exception as error:
        if reason := why_not_written(error):
            raise InputError(f"{path}: cannot be written: {reason}; fix that and run again") from error
        raise


_UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)


def why_not_written(error: Exception) -> str | None:
    """The system's reason where an error comes of a full disk or one that takes no writing, else None."""
    for number in _UNWRITABLE:
        # some libraries raise errors of their own, with the system's words in them
        if getattr(error, "errno", None) == number or os.strerror(number) in str(error):
            return os.strerror(number)
    return None


@contextmanager
def _new_partial(path: Path, folder: bool) -> Iterator[Path]:
    start, end = f".{path.stem}.partial-", path.suffix
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for left in path.parent.glob(f"{glob.escape(start)}*{glob.escape(end)}"):
            remove_if_abandoned(left)
        while True:
            if folder:
                partial = Path(tempfile.mkdtemp(prefix=start, suffix=end, dir=path.parent))
                handle = os.open(partial, os.O_RDONLY)
            else:
                handle, name = tempfile.mkstemp(prefix=start, suffix=end, dir=path.parent)
                partial = Path(name)
            # on a file system without locks nothing is ever taken for abandoned
            with suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_EX)
            if partial.exists():
                break
            # another writer took it for abandoned before it was locked
            os.close(handle)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written: {error.strerror or error}; fix that and run again"
        ) from error
    try:
        yield partial
    finally:
        os.close(handle)


def remove_if_abandoned(partial: Path) -> None:
    """Remove a partial file or folder unless its writer still lives."""
    with suppress(OSError):
        handle = os.open(partial, os.O_RDONLY if partial.is_dir() else os.O_RDWR)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove(partial)
        finally:
            os.close(handle)


def _remove(partial: Path) -> None:
    if partial.is_dir():
        shutil.rmtree(partial, ignore_errors=True)
    else:
        with suppress(OSError):
            partial.unlink()
