"""How far a job is that runs a model: in the log every ten seconds, and as a bar when asked for."""

import logging
import time

from tqdm import tqdm

from unmask.joblog import PROGRESS, duration

logger = logging.getLogger(__name__)


class Progress:
    """Counts the sequences and tokens that a model has read of an expected number of tokens.

    items, of: how many things these tokens belong to, and what they are, such as 1508 and "pairs". Its speed
    is in these, or in sequences where nobody says what they are.
    """

    def __init__(
        self, expected_tokens: float, bar: bool = False, items: float = 0.0, of: str = "sentences"
    ) -> None:
        self._expected = max(expected_tokens, 1.0)
        self._items, self._of = items, of
        self._sequences = self._tokens = 0
        self._skipped = 0.0
        self._start = self._said = time.monotonic()
        self._bar = tqdm(total=round(self._expected), unit="tokens", unit_scale=True, disable=not bar)

    def skip(self, tokens: float) -> None:
        """Count work that was done before."""
        self._skipped += tokens
        self._bar.update(round(tokens))

    def add(self, sequences: int, tokens: int) -> None:
        """Count sequences just read, with their tokens."""
        self._sequences += sequences
        self._tokens += tokens
        self._bar.update(tokens)
        if time.monotonic() - self._said >= 10:
            self.say()

    def say(self) -> None:
        """Write a line into the log. The number of tokens expected is an estimate: so are the others."""
        self._said = time.monotonic()
        elapsed = max(self._said - self._start, 1e-9)
        speed = self._tokens / elapsed
        left = max(self._expected - self._skipped - self._tokens, 0.0)
        if self._items:
            rate, of = self._items * speed / self._expected, self._of
        else:
            rate, of = self._sequences / elapsed, "sequences"
        logger.info(
            "%.0f%% done, %.3g %s a second, about %s left",
            100 * (1 - left / self._expected),
            rate,
            of,
            duration(left / speed if speed else 0.0),
            extra=PROGRESS,
        )

    def close(self) -> None:
        """Say the last word."""
        self._bar.close()
        logger.info("%d sequences, %d tokens read", self._sequences, self._tokens)
