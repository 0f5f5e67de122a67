"""The errors that are for the user to fix."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LONGEST = 2000
"""Characters of a message: what it quotes of a file may be of any length."""


class InputError(Exception):
    """Bad input: the message is one line that names the file, key, row or model at fault.

    Signs in it that cannot be printed are written as Python writes them: what it quotes comes from anywhere.
    """

    def __init__(self, message: str) -> None:
        line = " ".join(message.split())
        if len(line) > LONGEST:
            line = f"{line[: LONGEST // 2]} … {line[-LONGEST // 2 :]}"
        super().__init__("".join(c if c.isprintable() else ascii(c)[1:-1] for c in line))


@contextmanager
def reading_download(path: str | Path) -> Iterator[None]:
    """Have an InputError from the block say, where `path` was downloaded, how it is fetched again."""
    try:
        yield
    except InputError as error:
        if not Path(f"{path}.facts.json").exists():
            raise
        raise InputError(
            f"{error}; it was downloaded: delete {path} and run again to fetch it anew"
        ) from None
