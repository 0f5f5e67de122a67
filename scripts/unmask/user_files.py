"""Files that a user gives: read here, so that each fault of theirs is one line that names the file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from unmask.errors import InputError


@contextmanager
def faults_of(path: str | Path, kind: str = "cannot be read") -> Iterator[None]:
    """Raise what the system, Arrow or a decoder finds wrong with a file in the block as an InputError.

    kind: what is then said of a file that is there, such as `not a readable Parquet file`.
    """
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (OSError, EOFError, UnicodeError, pa.ArrowException) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: {kind} ({reason})") from None


def read_text(path: str | Path) -> str:
    """The text of a UTF-8 file as it is, without a byte order mark.

    Raises InputError naming the file, and the line of what is not text.
    """
    with faults_of(path):
        content = Path(path).read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # bytes before the fault are text; those of a mark have no line break
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path}: line {line}: not UTF-8 text ({error.reason} at byte {error.start}); convert it to UTF-8"
        ) from None
    if (place := text.find("\0")) >= 0:
        line = text.count("\n", 0, place) + 1
        raise InputError(f"{path}: line {line}: a NUL byte in it; is it UTF-8 text, and whole?")
    return text
