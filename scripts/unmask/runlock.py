"""One run at a time in the results of a study."""

import atexit
from contextlib import ExitStack
from pathlib import Path
from typing import NoReturn

from unmask.errors import InputError
from unmask.locks import locked
from unmask.places import check_folder

LOCK = ".lock"


def hold_run_lock(results: str | Path) -> None:
    """Keep other runs out of a study's results for as long as this process lives, and no longer.

    Raises InputError, one line, where another run is at work there, or where nothing can be written.
    """
    results = Path(results)

    def refuse(holder: str) -> NoReturn:
        raise InputError(
            f"another run ({holder}) is at work in {results}; wait for it or stop it, then run again"
        )

    held = ExitStack()
    # says more than what the system says when the lock is made
    check_folder(results)
    try:
        held.enter_context(locked(results / LOCK, refuse))
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{results}: cannot be written: {reason}; fix that and run again") from None
    atexit.register(held.close)
