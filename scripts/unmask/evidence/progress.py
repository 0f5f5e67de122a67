"""How far a scoring job is: in the log every ten seconds, and as a bar when asked for."""

import logging
import time

from tqdm import tqdm

logger = logging.getLogger(__name__)


class Progress:
    """Counts the sequences and tokens that a model has read of an expected number of tokens."""

    def __init__(self, expected_tokens: float, bar: bool = False) -> None:
        self.expected = max(expected_tokens, 1.0)
        self.sequences = self.tokens = 0
        self.skipped = 0.0
        self.start = self.said = time.monotonic()
        self.bar = tqdm(total=round(self.expected), unit="tokens", unit_scale=True, disable=not bar)

    def skip(self, tokens: float) -> None:
        """Count work that was done before."""
        self.skipped += tokens
        self.bar.update(round(tokens))

    def add(self, sequences: int, tokens: int) -> None:
        """Count sequences just read, with their tokens."""
        self.sequences += sequences
        self.tokens += tokens
        self.bar.update(tokens)
        if time.monotonic() - self.said >= 10:
            self.say()

    def say(self) -> None:
        """Write a line into the log. The number of tokens expected is an estimate: so is the time left."""
        self.said = time.monotonic()
        elapsed = max(self.said - self.start, 1e-9)
        speed = self.tokens / elapsed
        left = max(self.expected - self.skipped - self.tokens, 0.0)
        done = 1 - left / self.expected
        logger.info(
            "%.0f%% done, %d sequences, %.0f sequences/s, %.0f tokens/s, about %.0f s left",
            100 * done,
            self.sequences,
            self.sequences / elapsed,
            speed,
            left / speed if speed else 0.0,
        )

    def close(self) -> None:
        """Say the last word."""
        self.bar.close()
        logger.info("%d sequences, %d tokens read", self.sequences, self.tokens)
