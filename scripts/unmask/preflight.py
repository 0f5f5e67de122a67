"""What would stop the jobs of a run, reported before any starts: another run, or a path in the way."""

import atexit
import errno
import os
import shlex
import time
from collections.abc import Iterable
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import NoReturn

from unmask.errors import InputError
from unmask.locks import locked

LOCK = ".lock"
"""The lock file in a study's folder of results."""

AHEAD = 60
"""Seconds that the clocks of machines which share files may be apart."""


def check_paths(reads: Iterable[str], writes: Iterable[str], folders: Iterable[str] = ()) -> None:
    """Check that jobs can read and write their paths, of which `folders` are folders and all others files.

    reads: inputs that exist already and that no job makes; missing ones are not looked for. Raises InputError
    naming the first path that is of the other kind, that lies where nothing can be written, or that is dated
    in the future: nothing made from it would be newer, and Snakemake would not take it.
    """
    folders = set(folders)
    latest = time.time() + AHEAD
    for path in dict.fromkeys([*reads, *writes]):
        if os.path.exists(path) and os.path.isdir(path) != (path in folders):
            there, expected = ("a file", "a folder") if path in folders else ("a folder", "a file")
            raise InputError(f"{path}: {there} lies where {expected} belongs; move it away and run again")
    for path in dict.fromkeys(reads):
        if os.path.exists(path) and (date := os.stat(path).st_mtime) > latest:
            written = f"{datetime.fromtimestamp(date):%Y-%m-%d %H:%M}"
            raise InputError(
                f"{path}: dated in the future ({written}), and what is made from it would be older; "
                f"put the clock right, or touch {shlex.quote(path)}, and run again"
            )
    for folder in dict.fromkeys(os.path.dirname(path) for path in writes):
        check_writable(folder)


def check_writable(folder: str | Path) -> None:
    """Raise InputError where a folder cannot be made, or be written to where it is there."""
    place = existing_parent(folder)
    if not os.access(place, os.W_OK | os.X_OK):
        reason = errno.EROFS if os.statvfs(place).f_flag & os.ST_RDONLY else errno.EACCES
        raise InputError(f"{place}: cannot be written: {os.strerror(reason)}; fix that and run again")


def existing_parent(folder: str | Path) -> Path:
    """The folder, or the nearest above it that is there. Raises InputError where something is in the way."""
    place = Path(folder)
    while not os.path.lexists(place):
        place = place.parent
    if not place.exists():
        target = os.readlink(place)
        raise InputError(f"{place}: a link to {target}, which leads nowhere; fix that and run again")
    if not place.is_dir():
        raise InputError(f"{place}: a file lies where a folder belongs; move it away and run again")
    return place


def hold_run_lock(results: str | Path) -> None:
    """Keep other runs out of a study's results for as long as this process lives, and no longer.

    Raises InputError, one line, where another run is at work there, or where nothing can be written.
    """
    results = Path(results)

    def refuse(holder: str) -> NoReturn:
        raise InputError(
            f"another run ({holder}) is at work in {results}; wait for it or stop it, then run again"
        )

    lock = ExitStack()
    # its message says more than the system's does when the lock is made
    check_writable(results)
    try:
        lock.enter_context(locked(results / LOCK, refuse))
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{results}: cannot be written: {reason}; fix that and run again") from None
    atexit.register(lock.close)
