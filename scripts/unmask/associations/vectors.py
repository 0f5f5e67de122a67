"""Word vectors in a text file, for the words of a suite.

Every line has a word and its numbers, between spaces or tabs: as word2vec and fastText write them, with a
first line of two whole numbers, of words and of dimensions; or as GloVe does, without. A word may have spaces
in it, as some of GloVe's have; lines of words that are not asked for need not be UTF-8.
"""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.errors import InputError
from unmask.files import faults_of

LONGEST_LINE = 1 << 20
"""Bytes: more is no row of a vector."""

Vector = npt.NDArray[np.float32]


def embed_words(stimuli: pd.DataFrame, path: str | Path) -> tuple[Vector, list[str]]:
    """(stimuli, width): of each stimulus of the table STIMULI the vector of its word, as the file has it or
    else in lower case; and the words that are there in lower case alone.

    Raises InputError as `read_vectors` does, and naming the file, test and word where one has no vector.
    """
    once = stimuli.drop_duplicates("stimulus").sort_values("stimulus")
    words = [str(word) for word in once["word"]]
    vectors = read_vectors(path, {form for word in words for form in (word, word.lower())})
    spelt = [word if word in vectors else word.lower() for word in words]
    lost = [
        (test, word)
        for test, word, form in zip(once["test"], words, spelt, strict=True)
        if form not in vectors
    ]
    if lost:
        (test, word), more = lost[0], len({word for _, word in lost}) - 1
        others = f" (nor for {more} other words)" if more else ""
        raise InputError(f"{path}: test {test}: no vector for {word!r}{others}")
    lower = dict.fromkeys(form for word, form in zip(words, spelt, strict=True) if form != word)
    return np.stack([vectors[form] for form in spelt]), list(lower)


def read_vectors(path: str | Path, words: Iterable[str]) -> dict[str, Vector]:
    """The vectors of those of the words that a file has; one line is in memory at a time.

    Raises InputError naming the file, and the line, of what cannot be read: lines of another width, more or
    fewer of them than the first says, a word that is there twice, a vector of zeros alone, and what is no
    finite number of 32 bits.
    """
    vectors: dict[str, Vector] = {}
    lines: dict[str, int] = {}
    for line, word, fields in _rows(Path(path), set(words)):
        where = f"{path}: line {line}: {word!r}"
        if word in lines:
            raise InputError(f"{where} is there twice (first: line {lines[word]})")
        numbers = [_number(where, field) for field in fields]
        with np.errstate(over="ignore"):
            vector = np.array(numbers, dtype=np.float32)
        if not np.isfinite(vector).all():
            first = int(np.flatnonzero(~np.isfinite(vector))[0])
            raise InputError(f"{where}: number {first + 1}, {numbers[first]}, is no finite number of 32 bits")
        if not vector.any():
            raise InputError(f"{where}: all of its numbers are 0, so it has no direction")
        vectors[word], lines[word] = vector, line
    return vectors


def _rows(path: Path, words: Collection[str]) -> Iterator[tuple[int, str, list[bytes]]]:
    """The lines of the words: number, word, and its numbers as they are written."""
    by_bytes = {word.encode(): word for word in words}
    width, stated, count = 0, None, 0
    for line, content in _lines(path):
        fields = content.split()
        if line == 1 and len(fields) == 2 and all(field.isdigit() for field in fields):
            stated, width = (int(field[:18]) for field in fields)
            continue
        width = width or len(fields) - 1
        start = len(fields) - width
        if start < 1 or width < 1:
            raise InputError(
                f"{path}: line {line}: {len(fields) - 1} numbers after the word, not {width or 1}"
            )
        last, digits = fields[start - 1], any(48 <= byte < 58 for byte in fields[start - 1])
        # else a word with spaces in it, which may end like `nan`
        if start > 1 and digits and _is_number(last) and not _is_number(fields[0]):
            raise InputError(f"{path}: line {line}: more than {width} numbers after the word")
        count += 1
        word = by_bytes.get(b" ".join(fields[:start]))
        if word is not None:
            yield line, word, fields[start:]
    if not count:
        raise InputError(f"{path}: no vectors in it")
    if stated is not None and count != stated:
        raise InputError(f"{path}: {count} vectors, but its first line says {stated}; is it whole?")


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines that have something in them, by their numbers."""
    with faults_of(path), path.open("rb") as file:
        for line, content in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), start=1):
            if len(content) > LONGEST_LINE:
                raise InputError(f"{path}: line {line}: too long; is it text?")
            if b"\0" in content:
                raise InputError(f"{path}: line {line}: a NUL byte in it; is it UTF-8 text, and whole?")
            if content.strip():
                yield line, content.removeprefix(b"\xef\xbb\xbf") if line == 1 else content


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    # Python reads 1_000, which no writer of numbers means
    return b"_" not in field


def _number(where: str, field: bytes) -> float:
    if not _is_number(field):
        raise InputError(f"{where}: {field[:40].decode('utf-8', 'replace')!r} is no number")
    return float(field)
