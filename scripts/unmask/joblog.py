"""What one job tells: a log file, the same lines on stderr, and one clear line when its input is bad."""

import logging
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unmask.errors import InputError


@contextmanager
def job_log(path: str | Path) -> Iterator[None]:
    """Send logging to `path` and to stderr while the block runs.

    An InputError ends the process with status 1 and its one line; the log file ends with that line too.
    Any other exception leaves its traceback in the log file and goes on.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    to_file = logging.FileHandler(path, mode="w", encoding="utf-8")
    to_file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    to_stderr = logging.StreamHandler(sys.stderr)
    to_stderr.setFormatter(logging.Formatter("%(message)s"))
    to_stderr.setLevel(logging.WARNING)
    log = logging.getLogger("unmask")
    log.setLevel(logging.INFO)
    log.handlers = [to_file, to_stderr]
    log.propagate = False
    logging.captureWarnings(True)
    logging.getLogger("py.warnings").handlers = [to_file]
    try:
        yield
    except InputError as error:
        log.error("error: %s", error)
        sys.exit(1)
    except BaseException:
        to_file.emit(log.makeRecord(log.name, logging.ERROR, __file__, 0, traceback.format_exc(), (), None))
        raise
    finally:
        to_file.close()
        log.handlers = []
        logging.getLogger("py.warnings").handlers = []
        logging.captureWarnings(False)
