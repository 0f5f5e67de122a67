"""Before the jobs of a run: one run at a time in a study's results, and digests of what a study is given."""

import atexit
import json
import os
import re
import sys
import time
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from unmask.errors import InputError, faults_of
from unmask.files import sha256_of_file

LOCK = ".lock"
"""The lock file in a study's folder of results."""

SETTLED = 2.0
"""Seconds after which a change of a file has changed its dates as well, on any file system."""


def hold_run_lock(results: str | Path) -> None:
    """Keep other runs out of a study's results for as long as this process lives, and no longer.

    Raises InputError, one line, where another run is at work there, or where nothing can be written.
    """
    path = Path(results, LOCK)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    except OSError as error:
        reason = f"cannot be written: {error.strerror or error}; fix that and run again"
        raise InputError(f"{results}: {reason}") from None
    lock = FileLock(path, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        what = f"another run is at work in {results}; wait for it or stop it, then run again"
        raise InputError(what) from None
    except OSError as error:
        # a file system without locks
        print(f"{path}: no lock can be had here ({error.strerror}): going on without", file=sys.stderr)
    # in this order: a run that looks for the file while it is held makes a new one
    atexit.register(lock.release)
    atexit.register(path.unlink, missing_ok=True)


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
            if seen not in self._known:
                self._known[seen] = sha256_of_file(path)
                if is_settled:
                    self._remember(f"{self._known[seen]} {seen}\n")
        return self._known[seen]

    def _remember(self, line: str) -> None:
        with suppress(OSError):
            self._cache.parent.mkdir(parents=True, exist_ok=True)
            with open(self._cache, "a", encoding="utf-8") as file:
                file.write(line)
