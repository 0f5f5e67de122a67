"""Trying again after temporary faults, ever more slowly."""

import logging
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from unmask.errors import InputError

logger = logging.getLogger(__name__)

Result = TypeVar("Result")


class TemporaryError(Exception):
    """A fault that may be gone the next time; `retry_after` is how long the server asks to wait (seconds)."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(" ".join(message.split()))
        self.retry_after = retry_after


class UnreachableError(InputError):
    """The source could not be reached, however often it was tried."""


@dataclass(frozen=True)
class Backoff:
    """How often to try and how long to wait in between: `first` seconds, then twice as long each time up
    to `longest`, each wait shortened at random by up to half so that many clients do not come at once. A
    server that asks for more than `longest_asked` seconds is not waited for."""

    attempts: int = 6
    first: float = 1.0
    longest: float = 60.0
    longest_asked: float = 600.0
    sleep: Callable[[float], None] = time.sleep

    def wait(self, failures: int, asked: float | None) -> float:
        """Seconds to wait after so many failures: never less than the server asked for."""
        own: float = min(self.longest, self.first * 2 ** (failures - 1)) * random.uniform(0.5, 1.0)
        return max(own, asked or 0.0)


def persistently(action: Callable[[], Result], what: str, backoff: Backoff) -> Result:
    """The result of `action`, called again after a TemporaryError.

    Raises UnreachableError naming `what` after the last attempt, or where the server asks for too long a
    wait; other exceptions pass at once.
    """
    failures = 0
    while True:
        try:
            return action()
        except TemporaryError as fault:
            failures += 1
            if failures >= backoff.attempts:
                tries = "once" if failures == 1 else f"{failures} times"
                raise UnreachableError(f"{what}: could not be fetched (tried {tries}): {fault}") from None
            if (fault.retry_after or 0.0) > backoff.longest_asked:
                raise UnreachableError(
                    f"{what}: {fault}, and to wait {_in_words(fault.retry_after or 0.0)}, longer than the "
                    f"{_in_words(backoff.longest_asked)} that are waited; run again later"
                ) from None
            seconds = backoff.wait(failures, fault.retry_after)
            logger.warning("%s: %s; trying again in %.1f s", what, fault, seconds)
            backoff.sleep(seconds)


def _in_words(seconds: float) -> str:
    for size, unit in ((86_400, "days"), (3_600, "hours")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds / 60:.0f} minutes"
