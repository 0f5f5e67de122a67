"""One run at a time in a study's results."""

import atexit
import sys
from pathlib import Path

from filelock import FileLock, Timeout

from unmask.errors import InputError

LOCK = ".lock"
"""The lock file in a study's folder of results."""


def hold_run_lock(results: str | Path) -> None:
    """Keep other runs out of a study's results for as long as this process lives, and no longer.

    Raises InputError, one line, where another run is at work there, or where nothing can be written.
    """
    path = Path(results) / LOCK
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{results}: cannot be written: {reason}; fix that and run again") from None
    lock = FileLock(path, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise InputError(
            f"another run is at work in {results}; wait for it or stop it, then run again"
        ) from None
    except OSError as error:
        # a file system without locks
        print(f"{path}: no lock can be had here ({error.strerror}): going on without", file=sys.stderr)
    # in this order: a run that looks for the file while it is held makes a new one
    atexit.register(lock.release)
    atexit.register(path.unlink, missing_ok=True)
