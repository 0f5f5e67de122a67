"""What is expected of a server at the least, and taken from it at the most."""

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits of one fetch.

    timeout: seconds for the connection, and without a byte; window and least: fewer than so many bytes in so
    many seconds is too slow; largest: bytes of a file whose length the server does not say.
    """

    timeout: float = 30.0
    window: float = 60.0
    least: int = 60_000
    largest: int = 1 << 38
    clock: Callable[[], float] = time.monotonic
