"""Locks that the operating system holds: they end with the process that holds them, however it ends."""

import fcntl
import logging
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

logger = logging.getLogger(__name__)


@contextmanager
def locked(path: str | Path, busy: Callable[[str], None], mode: int = 0o666) -> Iterator[None]:
    """Hold the lock file `path` while the block runs, alone among all processes; it is gone afterwards.

    Where another process holds it, `busy` is called once with who that is ("process 12 on host"); it may
    raise, else the lock is waited for. A file left by a process that was killed holds nobody up. On a
    file system without locks the block runs all the same, with a warning in the log. mode: of the file,
    less what the process masks.
    Raises OSError where the file cannot be made.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = _acquire(path, busy, mode)
    try:
        yield
    finally:
        # before it is given up: whoever waits for it sees that it is gone, and makes a new one
        path.unlink(missing_ok=True)
        os.close(handle)


def _acquire(path: Path, busy: Callable[[str], None], mode: int) -> int:
    was_reported = False
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, mode)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if not was_reported:
                    busy(os.pread(handle, 1000, 0).decode(errors="replace") or "another process")
                    was_reported = True
                fcntl.flock(handle, fcntl.LOCK_EX)
            except OSError as error:
                logger.warning("%s: no lock can be had here (%s): going on without", path, error.strerror)
                return handle
            if _is(path, handle):
                os.ftruncate(handle, 0)
                os.pwrite(handle, f"process {os.getpid()} on {socket.gethostname()}".encode(), 0)
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _is(path: Path, handle: int) -> bool:
    """Whether the open file still goes by that name."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(handle))
    except FileNotFoundError:
        return False
