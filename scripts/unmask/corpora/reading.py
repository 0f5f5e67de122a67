"""The text of a corpus's files, in blocks that fit into memory: text with a document a line, and Parquet."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from unmask.errors import InputError
from unmask.files import faults_of

BLOCK = 1 << 21
"""Bytes of a piece to read, and about those of a block."""

COMPRESSIONS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}
"""How a text file is compressed, by the ending of its name."""


def read_blocks(path: str | Path, entry: Mapping[str, Any]) -> Iterator[bytes]:
    """The text of one file of a corpus in blocks of UTF-8, a document a line.

    entry: the corpus's in the study: its format, and of Parquet the column with the texts, of which each row
    is a document. A block ends with a line break, or, in a line longer than a block, after a space.
    Raises InputError naming the file where it is missing, broken, not UTF-8, or has no text.
    """
    pieces = _pieces(path) if entry["format"] == "text" else _texts(path, entry["column"])
    yield from in_blocks(pieces, str(path))


def _pieces(path: str | Path) -> Iterator[bytes]:
    compression = COMPRESSIONS.get(Path(path).suffix)
    with faults_of(path), pa.input_stream(str(path), compression=compression) as stream:
        yield from iter(lambda: stream.read(BLOCK), b"")


def _texts(path: str | Path, column: str) -> Iterator[bytes]:
    """The texts of Parquet, a line each; rows without text are left out."""
    with (
        faults_of(path, "not a readable Parquet file"),
        # read piecemeal: a column of a row group can be larger than memory allows
        pq.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20) as file,
    ):
        schema, facts = file.schema_arrow, file.metadata
        if schema.names.count(column) != 1:
            what = "is there more than once" if column in schema.names else "is not there"
            raise InputError(f"{path}: column {column!r} {what} (columns: {', '.join(schema.names)})")
        if not re.match("(dictionary<values=)?(large_)?string", type_ := str(schema.field(column).type)):
            raise InputError(f"{path}: column {column!r} holds {type_}, not text")
        size = sum(facts.row_group(number).total_byte_size for number in range(facts.num_row_groups))
        # about half a block, be they sentences or books
        at_once = int(max(1, min(10_000, BLOCK // 2 * facts.num_rows // max(size, 1))))
        for batch in file.iter_batches(at_once, columns=[column], use_threads=False):
            texts = batch.column(column).to_pylist()
            yield "".join(text.replace("\n", " ") + "\n" for text in texts if text).encode()


def in_blocks(pieces: Iterable[bytes], name: str) -> Iterator[bytes]:
    """UTF-8 text that comes in pieces of any size, in blocks as `read_blocks` cuts it.

    Raises InputError with the file's `name` for text that is not UTF-8, or is empty.
    """
    waiting: list[bytes] = []
    size = done = 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size < BLOCK:
            continue
        text = b"".join(waiting)
        while len(text) >= BLOCK:
            end = text.rfind(b"\n", 0, 2 * BLOCK) + 1 or text.rfind(b" ", 0, 2 * BLOCK) + 1
            if not end:
                break
            yield _checked(text[:end], done, name)
            done += end
            text = text[end:]
        waiting, size = [text], len(text)
    rest = b"".join(waiting)
    if not done and not rest.strip():
        raise InputError(f"{name}: holds no text")
    if rest:
        yield _checked(rest if rest.endswith(b"\n") else rest + b"\n", done, name)


def _checked(block: bytes, before: int, name: str) -> bytes:
    if (place := block.find(b"\0")) >= 0:
        # UTF-16 of English is UTF-8 with these between all letters
        raise InputError(f"{name}: a NUL byte at {before + place}: not UTF-8 text")
    try:
        str(block, "utf-8")
    except UnicodeDecodeError as error:
        byte, place = block[error.start], before + error.start
        what = f"not UTF-8: byte {byte:#04x} at {place}; convert the file to UTF-8"
        raise InputError(f"{name}: {what}") from None
    return block
