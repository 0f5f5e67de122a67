"""Files of word vectors: text, .npz and Parquet.

Each reader yields (place in words, word, numbers as float32[width]) of the wanted words alone, in the order
of the file, and raises InputError naming the file and place of what cannot be read. Of text and Parquet no
more than some rows are in memory at once.

Text has a word and its numbers in every line, between spaces or tabs: as word2vec and fastText write them,
with a first line of two whole numbers, of words and of dimensions; or as GloVe does, without. A word may have
spaces in it, as some of GloVe's have; lines of words that are not wanted need not be UTF-8.

A .npz file has an array for each word, read one by one; or `words` (texts) and `vectors`, a row each.

Parquet has a column `word`, and either one column of lists or columns of numbers, whose order is that of the
dimensions.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from unmask.associations.arrays import Array, Arrays, Numbers, finite, is_list, is_number, opened_arrays
from unmask.errors import InputError
from unmask.user_files import faults_of
from unmask.user_tables import check_text_column

Row = tuple[str, str, Numbers]
"""Place in words, word, and its vector."""

LONGEST_LINE = 1 << 20
"""Bytes: more is no row of a vector."""

BATCH = 4096
"""Rows of Parquet held at once."""

WORD, WORDS, VECTORS = "word", "words", "vectors"
_MARK = b"\xef\xbb\xbf"


def _vector(path: Path, place: str, word: str, values: Array) -> Row:
    """A row. Raises InputError naming file, place and word for what is no vector, and for zeros alone."""
    where = f"{path}: {place}: {word!r}"
    numbers = finite(where, values, 1)
    if not numbers.any():
        raise InputError(f"{where}: all of its numbers are 0, so it has no direction")
    return place, word, numbers


def _text(path: Path, requested: Collection[str]) -> Iterator[Row]:
    """Raises InputError also for rows of another width, or more or fewer of them than the first line says."""
    by_bytes = {word.encode("utf-8"): word for word in requested}
    with faults_of(path), path.open("rb") as file:
        header: tuple[int, int] | None = None
        width, number = 0, 0
        for line, content in _lines(path, file):
            fields = content.split()
            if line == 1 and len(fields) == 2 and all(field.isdigit() for field in fields):
                header = int(fields[0][:18]), int(fields[1][:18])
                width = header[1]
                continue
            width = width or len(fields) - 1
            place = f"line {line}"
            if len(fields) <= width or width < 1:
                raise InputError(
                    f"{path}: {place}: {len(fields) - 1} numbers after the word, not {width or 1}"
                )
            number += 1
            start = len(fields) - width
            # else a word with spaces in it
            if start > 1 and _has_digits(fields[start - 1]) and not _is_written_number(fields[0]):
                raise InputError(f"{path}: {place}: more than {width} numbers after the word")
            word = by_bytes.get(b" ".join(fields[:start]))
            if word is not None:
                yield _vector(path, place, word, np.array(_numbers(path, place, word, fields[start:])))
    if not number:
        raise InputError(f"{path}: no vectors in it")
    if header is not None and number != header[0]:
        raise InputError(f"{path}: {number} vectors, but its first line says {header[0]}; is it whole?")


def _lines(path: Path, file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    line = 0
    while content := file.readline(LONGEST_LINE + 1):
        line += 1
        if len(content) > LONGEST_LINE:
            raise InputError(f"{path}: line {line}: too long; is it text?")
        if line == 1:
            content = content.removeprefix(_MARK)
        if b"\0" in content:
            raise InputError(f"{path}: line {line}: a NUL byte in it; is it UTF-8 text, and whole?")
        if content.strip():
            yield line, content


def _is_written_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _has_digits(field: bytes) -> bool:
    """Whether it is a number as vectors have them: `nan` may be the end of a word."""
    return _is_written_number(field) and any(48 <= byte < 58 for byte in field)


def _numbers(path: Path, place: str, word: str, fields: list[bytes]) -> list[float]:
    for field in fields:
        # Python reads 1_000, which no writer of numbers means
        if b"_" in field or not _is_written_number(field):
            text = field[:40].decode("utf-8", "replace")
            raise InputError(f"{path}: {place}: {word!r}: {text!r} is no number")
    return [float(field) for field in fields]


def _npz(path: Path, requested: Collection[str]) -> Iterator[Row]:
    """Raises InputError also where `words` and `vectors` do not go together."""
    with opened_arrays(path) as arrays:
        if set(arrays.names) == {WORDS, VECTORS}:
            yield from _of_matrix(path, arrays, requested)
            return
        for name in arrays.names:
            if name in requested:
                yield _vector(path, "array", name, arrays[name])


def _of_matrix(path: Path, arrays: Arrays, requested: Collection[str]) -> Iterator[Row]:
    words, vectors = arrays[WORDS], arrays[VECTORS]
    if words.ndim != 1 or words.dtype.kind != "U":
        raise InputError(f"{path}: words: {words.dtype} of shape {words.shape}, not a row of texts")
    if vectors.ndim != 2 or len(vectors) != len(words):
        raise InputError(f"{path}: vectors: shape {vectors.shape}, but there are {len(words)} words")
    for number, word in enumerate(words.tolist()):
        if word in requested:
            yield _vector(path, f"row {number}", word, vectors[number])


def _parquet(path: Path, requested: Collection[str]) -> Iterator[Row]:
    """Raises InputError also for other columns, and where a number is null."""
    with faults_of(path, "not a readable Parquet file"), pq.ParquetFile(path) as file:
        names = _columns_of_numbers(path, file.schema_arrow)
        values = pa.array(sorted(requested), pa.large_string())
        start = 0
        for batch in file.iter_batches(BATCH):
            batch.validate(full=True)
            words = batch.column(WORD).cast(pa.large_string())
            for number in np.flatnonzero(pc.is_in(words, values).to_numpy(zero_copy_only=False)).tolist():
                place, word = f"row {start + number}", words[number].as_py()
                cells = [batch.column(name)[number].as_py() for name in names]
                if is_list(file.schema_arrow.field(names[0]).type):
                    cells = cells[0] or []
                if None in cells:
                    raise InputError(f"{path}: {place}: {word!r}: number {cells.index(None) + 1} is null")
                yield _vector(path, place, word, np.array(cells, dtype=np.float64))
            start += len(batch)


def _columns_of_numbers(path: Path, schema: pa.Schema) -> Sequence[str]:
    check_text_column(path, schema, WORD)
    others = [field for field in schema if field.name != WORD]
    listed = len(others) == 1 and is_list(others[0].type) and is_number(others[0].type.value_type)
    if not listed and not (others and all(is_number(field.type) for field in others)):
        types = ", ".join(f"{field.name} ({field.type})" for field in others)
        known = "neither one column of lists of numbers nor columns of numbers"
        raise InputError(f"{path}: beside {WORD!r}, {known} ({types})")
    return [field.name for field in others]


READERS: Mapping[str, Callable[[Path, Collection[str]], Iterator[Row]]] = {
    ".txt": _text,
    ".vec": _text,
    ".npz": _npz,
    ".parquet": _parquet,
}
"""By the ending of a file's name."""
