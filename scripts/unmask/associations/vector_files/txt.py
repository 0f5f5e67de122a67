"""Word vectors in text: a word and its numbers in every line, between spaces or tabs, read line by line.

As word2vec and fastText write them, with a first line of two whole numbers, of words and of dimensions; or as
GloVe does, without. A word may have spaces in it, as some of GloVe's have; lines of words that are not
wanted need not be UTF-8.
"""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from unmask.associations.checked_vector import Row, Vector, checked
from unmask.errors import InputError
from unmask.user_files import faults_of

LONGEST_LINE = 1 << 20
"""Bytes: more is no row of a vector."""

_MARK = b"\xef\xbb\xbf"


def rows(path: Path, wanted: Collection[str]) -> Iterator[Row]:
    """Rows of the wanted words. Raises InputError also for a row of another width, and for more or fewer rows
    than the first line says."""
    by_bytes = {word.encode("utf-8"): word for word in wanted}
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
            if start > 1 and _has_digits(fields[start - 1]) and not _is_number(fields[0]):
                raise InputError(f"{path}: {place}: more than {width} numbers after the word")
            word = by_bytes.get(b" ".join(fields[:start]))
            if word is not None:
                yield place, word, _numbers(path, place, word, fields[start:])
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


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _has_digits(field: bytes) -> bool:
    """Whether it is a number as vectors have them: `nan` may be the end of a word."""
    return _is_number(field) and any(48 <= byte < 58 for byte in field)


def _numbers(path: Path, place: str, word: str, fields: list[bytes]) -> Vector:
    values = []
    for field in fields:
        # Python reads 1_000, which no writer of numbers means
        if b"_" in field or not _is_number(field):
            shown = field[:40].decode("utf-8", "replace")
            raise InputError(f"{path}: {place}: {word!r}: {shown!r} is no number")
        values.append(float(field))
    return checked(path, place, word, np.array(values))
