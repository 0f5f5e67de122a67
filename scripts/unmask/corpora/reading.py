"""Reading a shard of a corpus, whatever its format."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from unmask.corpora.parquet import read_parquet
from unmask.corpora.text import read_text
from unmask.corpora.wikimedia import read_wikimedia

TEXT, HUB_PARQUET, WIKIMEDIA = "text", "hub-parquet", "wikimedia-xml"


def read_blocks(path: str | Path, entry: Mapping[str, Any]) -> Iterator[bytes]:
    """Blocks of a file of a corpus, read as the corpus's configuration `entry` says.

    Raises InputError naming the file where it is missing, empty or broken.
    """
    if entry["format"] == TEXT:
        return read_text(path)
    if entry["format"] == HUB_PARQUET:
        return read_parquet(path, entry["column"])
    return read_wikimedia(path)
