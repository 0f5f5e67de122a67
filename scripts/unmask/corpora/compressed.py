"""Files that may be compressed with gzip, Zstandard or bzip2."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from unmask.user_files import faults_of

_COMPRESSIONS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}


@contextmanager
def opened(path: str | Path) -> Iterator[BinaryIO]:
    """A file's bytes, decompressed by the ending of its name.

    Raises InputError naming the file where it is missing, and, also while it is read, where it is broken.
    """
    with (
        faults_of(path),
        pa.input_stream(str(path), compression=_COMPRESSIONS.get(Path(path).suffix)) as stream,
    ):
        yield stream
