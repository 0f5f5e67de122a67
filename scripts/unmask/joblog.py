"""A job's log, and the one line that ends it where it cannot go on."""

import gc
import logging
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn, TextIO

from filelock import FileLock, Timeout

from unmask.errors import InputError
from unmask.files import why_not_written

INTERRUPTED, TERMINATED = 128 + signal.SIGINT, 128 + signal.SIGTERM
"""Exit statuses, as shells have them."""

PROGRESS: Mapping[str, object] = {"progress": True}
"""As `extra` of a line that says how far a long job is: such lines go to stderr too, now and then."""

PROGRESS_SECONDS = 30.0
"""Seconds between two lines on progress on stderr."""

logger = logging.getLogger("unmask")


@contextmanager
def job_log(path: str | Path) -> Iterator[None]:
    """Log to `path`, and warnings and PROGRESS to stderr, while the block runs alone at this job.

    An InputError, a full disk, SIGTERM and Ctrl-C end the process with one line (statuses 1, 1, 143 and 130),
    after the block has cleaned up; the log ends with that line, too. So does any other exception, whose
    traceback is in the log.

    A Snakemake that is killed leaves its jobs running, and a new one starts them again: the new job waits for
    the old one.
    """
    path = Path(path)
    if not gc.isenabled():
        # what was imported stays until the job ends, so no collection looks through it
        gc.freeze()
        gc.enable()
    with ExitStack() as stack:
        logging.captureWarnings(True)
        stack.callback(logging.captureWarnings, False)
        stack.callback(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, _terminated))
        # no traceback for each line that a full disk has no room for
        logging.raiseExceptions = False
        logger.setLevel(logging.INFO)
        logger.propagate = False
        _log_to(_Terminal(path), stack, logger)
        try:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                _log_to(_File(path), stack, logger, logging.getLogger("py.warnings"))
            except OSError as error:
                raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None
            # Snakemake shows a failed job's logs up to the first that is empty; Slurm's comes after this one
            logger.info("begun")
            _wait_for_others(path.with_name(f".{path.name}.lock"), stack)
            yield
        except InputError as error:
            logger.error("error: %s", error)
            sys.exit(1)
        except KeyboardInterrupt:
            logger.error("stopped by Ctrl-C")
            sys.exit(INTERRUPTED)
        except Exception as error:
            if reason := why_not_written(error):
                file = getattr(error, "filename", None) or "a file"
                logger.error("error: %s: cannot be written: %s; fix that and run again", file, reason)
            else:
                logger.info("%s", traceback.format_exc())
                what = f"{type(error).__name__}: {error}: not foreseen; {path} has the details"
                logger.error("error: %s", InputError(what))
            sys.exit(1)


class _File(logging.FileHandler):
    """A log file that may be cut short where a disk is full."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, mode="w", encoding="utf-8")
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))

    def close(self) -> None:
        with suppress(OSError):
            super().close()


class _Terminal(logging.StreamHandler[TextIO]):
    """Warnings and worse, and how far the job is. Many jobs share one terminal: but for the error that ends
    it, and says what it is about, a line begins with the job's log."""

    def __init__(self, job: Path) -> None:
        super().__init__(sys.stderr)
        self.job, self.last_line = job, time.monotonic()

    def filter(self, record: logging.LogRecord) -> bool:
        if hasattr(record, "progress") and time.monotonic() - self.last_line >= PROGRESS_SECONDS:
            self.last_line = time.monotonic()
            return True
        return record.levelno >= logging.WARNING

    def format(self, record: logging.LogRecord) -> str:
        about = f"{self.job}: " if record.levelno < logging.ERROR else ""
        return about + record.getMessage()


def _log_to(handler: logging.Handler, stack: ExitStack, *loggers: logging.Logger) -> None:
    stack.callback(handler.close)
    for each in loggers:
        each.addHandler(handler)
        stack.callback(each.removeHandler, handler)


def _wait_for_others(lock_file: Path, stack: ExitStack) -> None:
    lock = FileLock(lock_file)
    try:
        try:
            stack.enter_context(lock.acquire(timeout=0))
        except Timeout:
            logger.warning("a job of a run that was killed is still at this: waiting for it (%s)", lock_file)
            stack.enter_context(lock.acquire())
    except OSError as error:
        logger.warning("%s: no lock can be had here (%s): going on without", lock_file, error.strerror)
    # while it is held: whoever waits for it sees that it is gone, and makes a new one
    stack.callback(lock_file.unlink, missing_ok=True)


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    # once is enough: what cleans up now must not be cut short
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    logger.error("stopped by SIGTERM")
    sys.exit(TERMINATED)
