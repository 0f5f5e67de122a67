"""What a download may take at the most, in time and in bytes."""

import logging
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

from tqdm.auto import tqdm

from unmask.errors import InputError
from unmask.joblog import PROGRESS

logger = logging.getLogger(__name__)

LARGEST = 1 << 38
"""Bytes of a file whose server does not say how long it is."""

LOG_EVERY = 5.0
"""Seconds between two lines on the progress of a download."""


@dataclass(frozen=True)
class Limits:
    """Limits of one fetch.

    timeout: seconds for the connection, and without a byte; seconds: for all of it, retries too; largest:
    bytes; retries: after failures that may be gone the next time; pause: seconds between retries, doubled
    with each.
    """

    timeout: float = 30.0
    seconds: float = 86_400.0
    largest: int = LARGEST
    retries: int = 5
    pause: float = 1.0


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise InputError in a block that takes longer, wherever it waits. For the main thread alone.

    Timeouts of the http libraries start anew with each byte, and so never end with a server that trickles.
    """

    def expire(*signalled: object) -> NoReturn:
        raise InputError(f"not finished in {seconds:g} s")

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Meter(tqdm):  # type: ignore[type-arg]  # huggingface_hub wants the class, not an alias of it
    """Counts the bytes of a file as they come, and logs its progress in place of showing a bar.

    Raises InputError in `update` at more than twice the `total` that the server states, or `largest` bytes
    where it states none.
    """

    def __init__(self, *args: Any, largest: int = LARGEST, **settings: Any) -> None:
        super().__init__(*args, **{**settings, "disable": True})
        self._name = settings.get("desc")
        self._most = 2 * self.total if self.total else largest
        self._logged = time.monotonic()

    def update(self, n: float | None = 1) -> None:
        self.n += n or 0
        if self.n > self._most:
            raise InputError(f"more than {self._most} bytes, which is the most that is taken")
        if time.monotonic() - self._logged >= LOG_EVERY:
            self._logged = time.monotonic()
            whole = f" of {self.total / 1e6:.1f}" if self.total else ""
            logger.info("%s: %.1f%s MB", self._name, self.n / 1e6, whole, extra=PROGRESS)
