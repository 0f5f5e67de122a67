"""A corpus as debiasing takes it: one text file, a line a document."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from unmask.atomic import written_whole
from unmask.by_name import load
from unmask.downloads import reading_download
from unmask.errors import InputError

logger = logging.getLogger(__name__)


def read_corpus(files: Sequence[str | Path], entry: Mapping[str, Any], path: str | Path) -> dict[str, Any]:
    """Write the documents of `files`, in their order, to `path`: UTF-8, a line each, whole or not at all.

    entry: the corpus's in the study, with its format. What ends a line inside a document, such as U+2028,
    becomes a space, and documents without text are left out. Returns files, lines and characters (how many).
    Raises InputError naming a file that its format refuses, and where there is no text at all.
    """
    counts = {"files": len(files), "lines": 0, "characters": 0}
    with written_whole(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as out:
        for file in files:
            before = counts["lines"]
            for line in documents(blocks(file, entry)):
                out.write(line + "\n")
                counts["lines"] += 1
                counts["characters"] += len(line)
            logger.info("%s: %d documents", file, counts["lines"] - before)
        if not counts["lines"]:
            raise InputError(f"{', '.join(map(str, files)) or 'corpus'}: holds no text")
    return counts


def blocks(file: str | Path, entry: Mapping[str, Any]) -> Iterator[bytes]:
    """The text of one file in blocks, as its format reads it."""
    with reading_download(file):
        yield from load("corpora/formats", entry["format"]).read_blocks(file, entry)


def documents(pieces: Iterable[bytes]) -> Iterator[str]:
    """The documents of blocks: what stands between line breaks, in one line each, blank ones left out."""
    waiting: list[bytes] = []
    for piece in pieces:
        *whole, rest = piece.split(b"\n")
        for document in whole:
            # a document longer than a block comes in several
            if line := _line(b"".join([*waiting, document])):
                yield line
            waiting.clear()
        waiting.append(rest)
    if line := _line(b"".join(waiting)):
        yield line


def _line(document: bytes) -> str:
    text = document.decode()
    # readers differ in which signs end a line; in none of them does a space
    return " ".join(text.splitlines()).strip() if text.strip() else ""
