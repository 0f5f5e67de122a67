"""Plain text, also compressed: a line is a document."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from unmask.corpora.blocks import BLOCK, in_blocks
from unmask.corpora.compressed import opened
from unmask.errors import InputError


def read_blocks(path: str | Path, entry: Mapping[str, Any]) -> Iterator[bytes]:
    """Blocks of a text file. Raises InputError naming the file where it is missing, empty or broken."""

    def pieces() -> Iterator[bytes]:
        with opened(path) as stream:
            done = 0
            while piece := stream.read(BLOCK):
                if (place := piece.find(b"\0")) >= 0:
                    raise InputError(f"{path}: a NUL byte at {done + place}: not UTF-8 text")
                done += len(piece)
                yield piece

    return in_blocks(pieces(), str(path))
