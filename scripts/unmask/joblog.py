"""What one job tells: a log file, the same lines on stderr, and one clear line when it cannot go on."""

import gc
import logging
import os
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
from unmask.errors import InputError, PassingError
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

RUN = "UNMASK_RUN"
"""The environment variable that tells runs of the workflow apart; all jobs of one run have the same."""

NOT_TRIED = "not tried again"
"""The last line of the log of a job that an error of its input ended when it was tried before in this run."""

logger = logging.getLogger("unmask")


@contextmanager
def job_log(path: str | Path, inputs: Iterable[str | Path] = ()) -> Iterator[None]:
    """Send logging to `path`, and warnings and PROGRESS to stderr, while the block runs, alone among the
    processes of this job.

    An InputError ends the process with status 1 and its one line; the log file ends with that line too.
    Where Snakemake tries such a job again in the same run, it ends at once and says nothing, unless the fault
    may pass: a PassingError, or one of a file that the system could not read.
    So do a full disk, and SIGTERM and Ctrl-C (with statuses 143 and 130), after the block has cleaned up.
    So does any other exception, with a line that names the job's `inputs`: its traceback is in the log file.

    A Snakemake that is killed leaves its jobs running, and a new one starts them again: then the new job
    waits for the old one, so that no two ever write the same.
    """
    path = Path(path)
    _collect_garbage()
    with ExitStack() as stack:
        _log_to_stderr(path, stack)
        try:
            stack.callback(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, _terminated))
            stack.callback(setattr, sys, "unraisablehook", sys.unraisablehook)
            sys.unraisablehook = _raise_again
            try:
                if _put_back_log(path):
                    _log_to_file(path, stack, NOT_TRIED, "a")
                    sys.exit(1)
                _log_to_file(path, stack, "begun")
                stack.enter_context(locked(path.with_name(f".{path.name}.lock"), _wait_for))
            except OSError as error:
                raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None
            yield
        except InputError as error:
            logger.error("error: %s", error)
            if not _may_pass(error):
                _keep_log(path)
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


def _collect_garbage() -> None:
    """Turn the collector on where the script turned it off (`unmask.job_start`).

    What was imported stays until the job ends, so no collection looks through it.
    """
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def _unexpected(error: Exception, path: Path, inputs: Iterable[str | Path]) -> InputError:
    """One line on what nobody foresaw, be it a defect here or a fault of an input."""
    names = [str(name) for name in inputs]
    listed = ", ".join(names[:MOST_INPUTS]) + (
        f" and {more} more" if (more := len(names) - MOST_INPUTS) > 0 else ""
    )
    made_from = f" (made from {listed})" if names else ""
    return InputError(f"{type(error).__name__}: {error}: not foreseen; {path} has the details{made_from}")


def forget_ended(logs: str | Path) -> None:
    """Remove what a run knows of jobs that it would not try again, when it is over."""
    for path in Path(logs).rglob(".*.ended"):
        path.unlink(missing_ok=True)


def _ended(path: Path) -> Path:
    """Where the log of a job stays that an error ended which another try would meet again."""
    return path.with_name(f".{path.name}.ended")


def _keep_log(path: Path) -> None:
    """Snakemake removes a job's log before it tries the job again."""
    if run := os.getenv(RUN):
        with suppress(OSError):
            _ended(path).write_text(f"{run}\n{path.read_text(encoding='utf-8')}", encoding="utf-8")


def _put_back_log(path: Path) -> bool:
    """Whether such an error ended the job in this run; its log is then where it was."""
    try:
        run, _, log = _ended(path).read_text(encoding="utf-8").partition("\n")
    except OSError:
        return False
    if run != os.getenv(RUN):
        _ended(path).unlink(missing_ok=True)
        return False
    path.write_text(log, encoding="utf-8")
    return True


def _may_pass(error: BaseException) -> bool:
    """Whether the network, the file system or another program may be at fault, so that another try helps."""
    at: BaseException | None = error
    while at is not None:
        if isinstance(at, PassingError | OSError):
            return True
        # also where it was raised `from None`
        at = at.__cause__ or at.__context__
    return False


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


def _log_to_file(path: Path, stack: ExitStack, first: str, mode: str = "w") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handler = _FileHandler(path, mode=mode, encoding="utf-8")
    stack.callback(handler.close)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger.handlers.append(handler)
    logging.captureWarnings(True)
    stack.callback(logging.captureWarnings, False)
    warnings = logging.getLogger("py.warnings")
    warnings.handlers = [handler]
    stack.callback(warnings.handlers.clear)
    # Snakemake shows a failed job's logs up to the first that is empty; Slurm's comes after this one
    logger.info("%s", first)


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
