"""GPUs of a machine, each for one job at a time."""

import logging
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from unmask.errors import InputError

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.5
"""How often a job that waits looks for a GPU."""


@contextmanager
def claim(names: Sequence[str]) -> Iterator[str]:
    """The first of `names` that no other process of this user holds, held while the block runs.

    Waits until one is free. Each is a locked file in a folder of the user's own among the temporary files;
    the operating system frees it when the process ends, however that comes about. Raises InputError where
    that folder cannot be had.
    """
    folder = _own_folder()
    with ExitStack() as held:
        claimed = _first_free(folder, names, held)
        if claimed is None:
            logger.warning("waiting: other jobs hold every GPU that this one may use (%d)", len(names))
            while claimed is None:
                time.sleep(POLL_SECONDS)
                claimed = _first_free(folder, names, held)
            logger.warning("a GPU is free: going on")
        yield claimed


def _first_free(folder: Path, names: Sequence[str], held: ExitStack) -> str | None:
    """The first name whose lock can be had; `held` then gives it up."""
    for name in names:
        with suppress(Timeout):
            held.enter_context(FileLock(folder / f"{name}.lock", timeout=0, mode=0o600).acquire())
            return name
    return None


def _own_folder() -> Path:
    folder = Path(tempfile.gettempdir()) / f"unmask-gpus-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        mine = folder.lstat().st_uid == os.getuid()
    except OSError as error:
        raise InputError(f"{folder}: no folder for the locks of GPUs: {error.strerror}") from None
    if not mine:
        raise InputError(f"{folder}: belongs to another user; set TMPDIR to a folder of your own")
    return folder
