"""What one job tells: a log file, the same lines on stderr, and one clear line when it cannot go on."""

import logging
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn, TextIO

from unmask.atomic import why_not_written
from unmask.errors import InputError
from unmask.locks import locked

INTERRUPTED, TERMINATED = 128 + signal.SIGINT, 128 + signal.SIGTERM
"""Exit statuses, as shells have them."""

MOST_INPUTS = 5
"""So many of a job's inputs are named where it fails."""

PROGRESS: Mapping[str, object] = {"progress": True}
"""As `extra` of a line that says how far a long job is: such lines go to stderr too, now and then."""

TOLD_EVERY = 30.0
"""Seconds between two lines on progress on stderr."""

AGAIN_AFTER = 0.05
"""Seconds after which a signal that a finalizer swallowed is raised again."""

logger = logging.getLogger("unmask")


@contextmanager
def job_log(path: str | Path, inputs: Iterable[str | Path] = ()) -> Iterator[None]:
    """Send logging to `path`, and warnings and PROGRESS to stderr, while the block runs, alone among the
    processes of this job.

    An InputError ends the process with status 1 and its one line; the log file ends with that line too.
    So do a full disk, and SIGTERM and Ctrl-C (with statuses 143 and 130), after the block has cleaned up.
    So does any other exception, with a line that names the job's `inputs`: its traceback is in the log file.

    A Snakemake that is killed leaves its jobs running, and a new one starts them again: then the new job
    waits for the old one, so that no two ever write the same.
    """
    path = Path(path)
    with ExitStack() as stack:
        _log_to_stderr(path, stack)
        try:
            stack.callback(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, _terminated))
            stack.callback(setattr, sys, "unraisablehook", sys.unraisablehook)
            sys.unraisablehook = _raise_again
            try:
                _log_to_file(path, stack)
                stack.enter_context(locked(path.with_name(f".{path.name}.lock"), _wait_for))
            except OSError as error:
                raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None
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
                sys.exit(1)
            _log_traceback()
            logger.error("error: %s", _unexpected(error, path, inputs))
            sys.exit(1)


def _unexpected(error: Exception, path: Path, inputs: Iterable[str | Path]) -> InputError:
    """One line on what nobody foresaw, be it a defect here or a fault of an input."""
    names = [str(name) for name in inputs]
    listed = ", ".join(names[:MOST_INPUTS]) + (
        f" and {more} more" if (more := len(names) - MOST_INPUTS) > 0 else ""
    )
    made_from = f" (made from {listed})" if names else ""
    return InputError(f"{type(error).__name__}: {error}: not foreseen; {path} has the details{made_from}")


class _FileHandler(logging.FileHandler):
    """A log file that a full disk ends, but not with a traceback for each line that it has no room for."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        pass

    def close(self) -> None:
        with suppress(OSError):
            super().close()


def duration(seconds: float) -> str:
    """A time to wait, in seconds, minutes or hours."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60:02d} min"


class _OnTerminal(logging.StreamHandler[TextIO]):
    """Warnings and worse, and how far the job is, with its name: many jobs share one terminal."""

    def __init__(self, job: str | Path) -> None:
        super().__init__(sys.stderr)
        self.job, self.last_line = job, time.monotonic()

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno >= logging.WARNING:
            return True
        if not hasattr(record, "progress") or time.monotonic() - self.last_line < TOLD_EVERY:
            return False
        self.last_line = time.monotonic()
        return True

    def format(self, record: logging.LogRecord) -> str:
        about = f"{self.job}: " if hasattr(record, "progress") else ""
        return about + record.getMessage()


def _log_to_stderr(path: Path, stack: ExitStack) -> None:
    handler = _OnTerminal(path)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logger.handlers = [handler]
    stack.callback(logger.handlers.clear)


def _log_to_file(path: Path, stack: ExitStack) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handler = _FileHandler(path, mode="w", encoding="utf-8")
    stack.callback(handler.close)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger.handlers.append(handler)
    logging.captureWarnings(True)
    stack.callback(logging.captureWarnings, False)
    warnings = logging.getLogger("py.warnings")
    warnings.handlers = [handler]
    stack.callback(warnings.handlers.clear)
    # Snakemake shows a failed job's logs up to the first that is empty; Slurm's comes after this one
    logger.info("begun")


def _log_traceback() -> None:
    """To the file only."""
    record = logger.makeRecord(logger.name, logging.ERROR, __file__, 0, traceback.format_exc(), (), None)
    for handler in logger.handlers:
        if isinstance(handler, _FileHandler):
            handler.emit(record)


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    # once is enough: what cleans up now must not be cut short
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    logger.error("stopped by SIGTERM")
    sys.exit(TERMINATED)


def _raise_again(unraisable: "sys.UnraisableHookArgs") -> None:
    """Exceptions are lost in a finalizer, of which imports run many: what ends the job must not be."""
    if isinstance(unraisable.exc_value, KeyboardInterrupt):
        # from another thread a moment later, as the hook itself swallows exceptions, too
        threading.Timer(AGAIN_AFTER, signal.raise_signal, [signal.SIGINT]).start()
    elif isinstance(unraisable.exc_value, SystemExit):
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(TERMINATED))
        threading.Timer(AGAIN_AFTER, signal.raise_signal, [signal.SIGTERM]).start()
    else:
        sys.__unraisablehook__(unraisable)


def _wait_for(holder: str) -> None:
    logger.warning("%s is still at this job, of a run that was killed: waiting for it", holder)
