"""Files that were downloaded, which have their facts beside them, and what to do where one cannot be read."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unmask.errors import InputError


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
