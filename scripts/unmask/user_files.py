"""Files that a user gives: read here, so that each fault of theirs is one line that names the file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from unmask.errors import InputError
from unmask.labels import fault_of_text
from unmask.strict_parsing import LONE_SURROGATE, parse_yaml


@contextmanager
def faults_of(path: str | Path, kind: str = "cannot be read") -> Iterator[None]:
    """Raise what the system, Arrow or a decoder finds wrong with a file in the block as an InputError.

    kind: what is then said of a file that is there, such as `not a readable Parquet file`.
    """
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except Exception as error:
        if not isinstance(error, OSError | EOFError | UnicodeError) and not _is_of_arrow(error):
            raise
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: {kind} ({reason})") from None


def _is_of_arrow(error: Exception) -> bool:
    # by name: who reads text alone should not have to load Arrow
    return any(each.__module__.partition(".")[0] == "pyarrow" for each in type(error).__mro__)


LONGEST_QUOTE = 60
"""Characters of a value that a message quotes."""


def quoted(value: object) -> str:
    """A value as messages have it: of several in one their type, and cut where it is long."""
    if isinstance(value, list | dict | set | tuple):
        return f"a {type(value).__name__}"
    text = repr(value)
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"


def text_of(value: Any) -> str:
    """A value that is a text. Raises ValueError for another, and for one with what no text has in it."""
    text = published_text(value)
    if fault := fault_of_text(text):
        raise ValueError(fault)
    return text


def published_text(value: Any) -> str:
    """The same of a data set that many use as it is: STS-B has "Treasury\\x12s". Raises ValueError."""
    if not isinstance(value, str):
        raise ValueError(f"is not a text but {quoted(value)}")
    if LONE_SURROGATE.search(value):
        raise ValueError(f"has half of a character in it: {quoted(value)}")
    return value


def read_yaml(path: str | Path) -> Any:
    """What a YAML file says. Raises InputError naming the file, as `read_text` and `parse_yaml` do."""
    try:
        return parse_yaml(read_text(path))
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None


UTF_8, UTF_16 = "utf-8", "utf-16"


def codec(encoding: str) -> str:
    """What Python reads an encoding with; a byte order mark is no text."""
    return "utf-8-sig" if encoding == UTF_8 else encoding


def _is_utf_8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def read_text(path: str | Path, encoding: str = UTF_8) -> str:
    """The text of a file as it is, without a byte order mark.

    Raises InputError naming the file, and the line of what is not text; and for UTF-8 that is to be read as
    another encoding, which nearly any bytes would be text of.
    """
    with faults_of(path):
        content = Path(path).read_bytes()
    if encoding not in (UTF_8, UTF_16) and not content.isascii() and _is_utf_8(content):
        raise InputError(f"{path}: is UTF-8 text, not {encoding.upper()}; leave out encoding")
    try:
        text = content.decode(codec(encoding))
    except UnicodeDecodeError as error:
        # bytes before the fault are text; those of a mark have no line break
        line = content.count(b"\n", 0, error.start) + 1
        advice = "; convert it to UTF-8" if encoding == UTF_8 else ""
        raise InputError(
            f"{path}: line {line}: not {encoding.upper()} text ({error.reason} at byte {error.start}){advice}"
        ) from None
    if (place := text.find("\0")) >= 0:
        line = text.count("\n", 0, place) + 1
        raise InputError(f"{path}: line {line}: a NUL byte in it; is it {encoding.upper()} text, and whole?")
    return text
