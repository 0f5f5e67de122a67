"""Plain text, also compressed: a line is a document."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from unmask.corpora.blocks import BLOCK, in_blocks
from unmask.corpora.compressed import opened


def read_blocks(path: str | Path, entry: Mapping[str, Any]) -> Iterator[bytes]:
    """Blocks of a text file. Raises InputError naming the file where it is missing, empty or broken."""

    def pieces() -> Iterator[bytes]:
        with opened(path) as stream:
            while piece := stream.read(BLOCK):
                yield piece

    return in_blocks(pieces(), str(path))
