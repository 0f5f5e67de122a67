"""How far a job is that runs a model: a line in the log every ten seconds."""

import logging
import time

from unmask.joblog import PROGRESS, duration

logger = logging.getLogger(__name__)


class Progress:
    """Counts what a model has read of an expected number of tokens, which is an estimate."""

    def __init__(self, expected_tokens: float) -> None:
        self._expected, self._skipped = max(expected_tokens, 1.0), 0.0
        self._sequences = self._tokens = 0
        self._start = self._said = time.monotonic()

    def skip(self, tokens: float) -> None:
        """Count work that was done before."""
        self._skipped += tokens

    def add(self, sequences: int, tokens: int) -> None:
        """Count sequences just read, with their tokens."""
        self._sequences += sequences
        self._tokens += tokens
        if time.monotonic() - self._said >= 10:
            self.say()

    def say(self) -> None:
        """Write a line into the log."""
        self._said = time.monotonic()
        speed = self._tokens / max(self._said - self._start, 1e-9)
        left = max(self._expected - self._skipped - self._tokens, 0.0)
        done, wait = 100 * (1 - left / self._expected), duration(left / speed if speed else 0.0)
        line = f"{done:.0f}% done, {speed:.3g} tokens a second, about {wait} left"
        logger.info("%s", line, extra=PROGRESS)

    def close(self) -> None:
        """Say the last word."""
        logger.info("%d sequences, %d tokens read", self._sequences, self._tokens)
