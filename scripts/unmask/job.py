"""A job of the workflow: what Snakemake gives its script, its log, and the one line that ends it where it
cannot go on.

A script imports this module, or unmask.models.job, before all else of the library.
"""

import atexit
import gc
import logging
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, TextIO

if hasattr(sys.modules["__main__"], "snakemake"):
    # what imports make lives until the job ends: collecting garbage among it takes a quarter of a short job
    gc.disable()

from filelock import FileLock, Timeout

from unmask.errors import InputError
from unmask.files import NOT_WRITTEN, faults_of, record, sha256_of_file, why_not_written

TABLES = ("numpy", "pandas", "pyarrow", "scipy")
"""Packages that numbers of tables depend on; results state their versions."""

NETWORKS = (*TABLES, "tokenizers", "torch", "transformers")
"""Those that numbers of models depend on."""

INTERRUPTED, TERMINATED = 128 + signal.SIGINT, 128 + signal.SIGTERM
"""Exit statuses, as shells have them."""

PROGRESS: Mapping[str, object] = {"progress": True}
"""As `extra` of a line that says how far a long job is: such lines go to stderr too, now and then."""

PROGRESS_SECONDS = 30.0
"""Seconds between two lines on progress on stderr."""

logger = logging.getLogger("unmask")


class Job:
    """What Snakemake gives a script, by Snakemake's names."""

    def __init__(self, snakemake: Any, packages: Iterable[str]) -> None:
        self.packages = tuple(packages)
        self.input = snakemake.input
        self.output = snakemake.output
        self.params = snakemake.params
        self.wildcards = snakemake.wildcards
        self.threads: int = snakemake.threads
        self.config: Mapping[str, Any] = snakemake.config
        """The study. Only what shall redo nothing is read from it, as how the machine is used."""

    def record(self, inputs: Iterable[str | Path] | None = None) -> dict[str, Any]:
        """What a result states of how it was made (unmask.files.record): of all inputs, or of these."""
        return record(self.input if inputs is None else inputs, self.params.code, *self.packages)


@contextmanager
def job(about: str = "", packages: Iterable[str] = TABLES) -> Iterator[Job]:
    """The job whose script this is, with its log (job_log), and its users' files unchanged.

    about: words that begin the line of an InputError, with `{params.…}` or `{wildcards.…}` in them.
    packages: whose versions its results state.
    """
    snakemake = vars(sys.modules["__main__"])["snakemake"]
    with job_log(snakemake.log[0]):
        run = Job(snakemake, packages)
        try:
            yield run
            for path, sha256 in run.params.get("input_sha256", {}).items():
                with faults_of(path):
                    current = sha256_of_file(path)
                if current != sha256:
                    raise InputError(f"{path}: was replaced since this run was planned; run again")
        except InputError as error:
            subject, line = about.format(params=run.params, wildcards=run.wildcards), str(error)
            for path in run.input:
                if line.startswith(f"{path}: ") and Path(f"{path}.facts.json").exists():
                    line += f"; it was downloaded: delete {path} and run again to fetch it anew"
            raise InputError(line if line.startswith(subject) else f"{subject}: {line}") from None


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
            with faults_of(path, NOT_WRITTEN):
                path.parent.mkdir(parents=True, exist_ok=True)
                file = logging.FileHandler(path, mode="w", encoding="utf-8")
            file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
            _log_to(file, stack, logger, logging.getLogger("py.warnings"))
            # Snakemake shows a failed job's logs up to the first that is empty; Slurm's comes after this one
            logger.info("begun")
            lock_file = path.with_name(f".{path.name}.lock")
            waiting = f"a job of a run that was killed is still at this: waiting for it ({lock_file})"
            _hold(lock_file, stack, lambda: logger.warning(waiting))
            yield
        except InputError as error:
            _end(f"error: {error}", 1)
        except KeyboardInterrupt:
            _end("stopped by Ctrl-C", INTERRUPTED)
        except Exception as error:
            if reason := why_not_written(error):
                name = getattr(error, "filename", None) or "a file"
                _end(f"error: {name}: {NOT_WRITTEN} ({reason})", 1)
            logger.info("%s", traceback.format_exc())
            what = f"{type(error).__name__}: {error}: not foreseen; {path} has the details"
            _end(f"error: {InputError(what)}", 1)


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
    def close() -> None:
        # a full disk may cut the file short
        with suppress(OSError):
            handler.close()

    stack.callback(close)
    for each in loggers:
        each.addHandler(handler)
        stack.callback(each.removeHandler, handler)


def hold_run_lock(results: str | Path) -> None:
    """Keep other runs out of a study's results for as long as this process lives, and no longer.

    Raises InputError, one line, where another run is at work there, or where nothing can be written.
    """

    def refuse() -> None:
        raise InputError(f"another run is at work in {results}; wait for it or stop it, then run again")

    lock_file, stack = Path(results, ".lock"), ExitStack()
    with faults_of(results, NOT_WRITTEN):
        lock_file.parent.mkdir(parents=True, exist_ok=True)
        lock_file.touch()
    _hold(lock_file, stack, refuse)
    atexit.register(stack.close)


def _hold(lock_file: Path, stack: ExitStack, if_held: Callable[[], None]) -> None:
    """Hold a lock until the stack ends. Where another process has it, it is waited for after `if_held`."""
    lock = FileLock(lock_file)
    try:
        try:
            stack.enter_context(lock.acquire(timeout=0))
        except Timeout:
            if_held()
            stack.enter_context(lock.acquire())
    except OSError as error:
        # a file system without locks
        logger.warning("%s: no lock can be had here (%s): going on without", lock_file, error.strerror)
    # while it is held: whoever waits for it sees that it is gone, and makes a new one
    stack.callback(lock_file.unlink, missing_ok=True)


def _end(line: str, status: int) -> NoReturn:
    logger.error(line)
    sys.exit(status)


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    # once is enough: what cleans up now must not be cut short
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _end("stopped by SIGTERM", TERMINATED)
