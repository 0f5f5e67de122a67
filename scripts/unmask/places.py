"""Where jobs read and write: what would stop them there, told before any of them starts."""

import errno
import os
import shlex
import time
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from unmask.errors import InputError

AHEAD = 60
"""Seconds that the clocks of machines which share files may be apart."""


def check_places(reads: Iterable[str], writes: Iterable[str], folders: Iterable[str] = ()) -> None:
    """Check that jobs can read and write where they are to, `folders` folders and all else files.

    reads: what is there already, beside what the jobs make themselves; what is missing is not looked for.
    Raises InputError naming the first path that is of the other kind, that lies where nothing can be written,
    or that is dated in the future: nothing made from it would be newer, and Snakemake would not take it.
    """
    folders = set(folders)
    latest = time.time() + AHEAD
    for path in dict.fromkeys([*reads, *writes]):
        if os.path.exists(path) and os.path.isdir(path) != (path in folders):
            found, wanted = ("a file", "a folder") if path in folders else ("a folder", "a file")
            raise InputError(f"{path}: {found} lies where {wanted} belongs; move it away and run again")
    for path in dict.fromkeys(reads):
        if os.path.exists(path) and (date := os.stat(path).st_mtime) > latest:
            told = f"{datetime.fromtimestamp(date):%Y-%m-%d %H:%M}"
            raise InputError(
                f"{path}: dated in the future ({told}), and what is made from it would be older; "
                f"put the clock right, or touch {shlex.quote(path)}, and run again"
            )
    for folder in dict.fromkeys(os.path.dirname(path) for path in writes):
        check_folder(folder)


def check_folder(folder: str | Path) -> None:
    """Raise InputError where a folder cannot be made, or be written to where it is there."""
    place = check_way(folder)
    if not os.access(place, os.W_OK | os.X_OK):
        reason = errno.EROFS if os.statvfs(place).f_flag & os.ST_RDONLY else errno.EACCES
        raise InputError(f"{place}: cannot be written: {os.strerror(reason)}; fix that and run again")


def check_way(folder: str | Path) -> Path:
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
