"""Counting the words of a stream of text, a block at a time, in bounded memory.

A block is UTF-8 text in which each line is a document; one that does not end with a line break goes on in
the next block, and the words of such a long document are remembered until its end. The text is cut at its
ASCII characters that are in no word, equal chunks are counted as one, and only the different chunks, of
which there are few, meet the rule of `unmask.frequency.words`. Nothing in that rule looks beyond such a
chunk, so the counts are its own.
"""

import logging
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from unmask.errors import InputError
from unmask.frequency.merging import merged, read_counts, sorted_by_word, summed
from unmask.frequency.schema import WORD_COUNTS
from unmask.joblog import PROGRESS
from unmask.tables import write_batches
from unmask.words import WORD, in_lower_case, is_unsegmented

logger = logging.getLogger(__name__)

MOST_WORDS = 250_000
"""So many different words are held in memory; more go to a file, sorted, and are merged in the end."""

_MOST_FILES = 16
"""So many of these files are merged into one."""

_LOG_EVERY = 30.0
"""Seconds between two progress lines."""

Integers = npt.NDArray[np.integer[Any]]

_NEWLINE, _SPACE = ord("\n"), ord(" ")
# ASCII characters in lower case, those that are in no word as spaces; other characters as they are
_FOLDED = bytes(b if b >= 0x80 or chr(b).isalnum() or b == ord("'") else _SPACE for b in range(256)).lower()


class WordCounter:
    """Counts the words of blocks; `folder` is an existing one for files that it may need."""

    def __init__(self, folder: Path, most_words: int = MOST_WORDS) -> None:
        self._folder, self._most_words = folder, most_words
        self._counted: list[pa.Table] = []
        self._waiting = 0
        self._spilled: list[Path] = []
        self._files = 0
        # words of the document that the last block left open
        self._open: set[str] = set()
        self.tokens = 0
        self.documents = 0

    def add(self, block: bytes) -> None:
        """Count one more block of UTF-8 text, cut where it is in no word."""
        words, codes, lines = _words_by_line(block)
        self.tokens += len(codes)
        self.documents += int(np.count_nonzero(np.bincount(lines)))
        count = np.bincount(codes, minlength=len(words))
        documents = _lines_with(codes, lines, len(words))
        if self._open or not block.endswith(b"\n"):
            self._go_on(words, codes, lines, documents, block.count(b"\n"))
        table = pa.Table.from_arrays([words, pa.array(count), pa.array(documents)], schema=WORD_COUNTS)
        self._counted.append(table)
        self._waiting += len(words)
        if self._waiting > self._most_words // 2 + len(self._counted[0]):
            self._gather()

    def batches(self) -> Iterator[pa.Table]:
        """All that was counted, as rows of WORD_COUNTS by word; call it once, at the end."""
        self._gather()
        (rest,) = self._counted or [WORD_COUNTS.empty_table()]
        self._counted = []
        streams: list[Iterable[pa.Table]] = [read_counts(path) for path in self._spilled]
        yield from merged([*streams, sorted_by_word(rest)])

    def _go_on(
        self, words: pa.Array, codes: Integers, lines: Integers, documents: Integers, last: int
    ) -> None:
        """Take back what the first line repeats of the open document, and note what the last line has."""
        first = np.unique(codes[lines == 0])
        if self._open and len(first):
            self.documents -= 1
            again = [code for code in first if words[code].as_py() in self._open]
            documents[again] -= 1
        if last:
            self._open = set()
        self._open |= {words[code].as_py() for code in np.unique(codes[lines == last])}

    def _gather(self) -> None:
        if len(self._counted) > 1:
            self._counted = [summed(self._counted)]
        self._waiting = 0
        if self._counted and len(self._counted[0]) > self._most_words:
            self._spill(sorted_by_word(self._counted.pop()))
            if len(self._spilled) == _MOST_FILES:
                earlier, self._spilled = self._spilled, []
                self._spill(merged(map(read_counts, earlier)))
                for path in earlier:
                    path.unlink()

    def _spill(self, batches: Iterable[pa.Table]) -> None:
        self._files += 1
        path = self._folder / f"{self._files}.parquet"
        write_batches(path, batches, WORD_COUNTS, {})
        self._spilled.append(path)


def _words_by_line(block: bytes) -> tuple[pa.Array, Integers, Integers]:
    """The different words of a block; and of each word in it, its place among them and its line (from 0)."""
    chunks, lines = _chunks_by_line(block)
    encoded = chunks.dictionary_encode()
    words, codes, each = _words_of_chunks(encoded.dictionary)
    chunk = np.asarray(encoded.indices)
    if len(codes) == len(each) and each.all():
        return words, codes[chunk], lines
    ends = np.cumsum(each, dtype=np.int32)
    # most chunks are one word: take the first word of each, and then the others of the few that have more
    first = np.append(codes, np.int32(-1))[np.where(each > 0, ends - each, -1)][chunk]
    more = np.flatnonzero((each > 1)[chunk])
    extra = each[chunk[more]] - 1
    within = np.arange(extra.sum(), dtype=np.int32) - np.repeat(np.cumsum(extra) - extra, extra)
    others = codes[np.repeat(ends[chunk[more]] - extra, extra) + within]
    codes = np.concatenate([first, others])
    lines = np.concatenate([lines, np.repeat(lines[more], extra)])
    if not each.all():
        lines, codes = lines[codes >= 0], codes[codes >= 0]
    return words, codes, lines


def _chunks_by_line(block: bytes) -> tuple[pa.Array, Integers]:
    """The text between ASCII characters that are in no word, in lower case as far as it is ASCII; and
    the line of each chunk."""
    letters = np.frombuffer(block.translate(_FOLDED), np.uint8)
    inside = np.zeros(len(block) + 2, dtype=bool)
    np.not_equal(letters, _SPACE, out=inside[1:-1])
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    starts, ends = edges[::2], edges[1::2]
    offsets = np.zeros(len(starts) + 1, dtype=np.int32)
    np.cumsum(ends - starts, out=offsets[1:])
    text = pa.py_buffer(np.compress(inside[1:-1], letters))
    chunks = pa.Array.from_buffers(pa.string(), len(starts), [None, pa.py_buffer(offsets), text])
    line_ends = np.flatnonzero(np.frombuffer(block, np.uint8) == _NEWLINE)
    before = np.searchsorted(starts, np.append(line_ends, len(block)))
    return chunks, np.repeat(np.arange(len(before), dtype=np.int32), np.diff(before, prepend=0))


def _words_of_chunks(chunks: pa.Array) -> tuple[pa.Array, Integers, Integers]:
    """The different words of the chunks; the words' places among them, chunk after chunk; and of each
    chunk how many words it has."""
    is_plain = pc.and_(pc.string_is_ascii(chunks), pc.invert(pc.match_substring(chunks, "'")))
    plain = chunks.filter(is_plain)
    odd_words: list[str] = []
    sizes: list[int] = []
    for chunk in chunks.filter(pc.invert(is_plain)).to_pylist():
        # letters and digits alone are a word: the commonest case, and a test much faster than the rule
        words = [chunk] if chunk.isalnum() and not is_unsegmented(chunk) else WORD.findall(chunk)
        odd_words += words
        sizes.append(len(words))
    of_odd = in_lower_case(odd_words)
    encoded = pa.concat_arrays([plain, pa.array(of_odd, pa.string())]).dictionary_encode()

    odd = ~is_plain.to_numpy(zero_copy_only=False)
    each = np.ones(len(chunks), dtype=np.int32)
    each[odd] = sizes
    codes = np.empty(len(encoded), dtype=np.int32)
    of_plain = np.repeat(~odd, each)
    places = np.asarray(encoded.indices)
    codes[of_plain], codes[~of_plain] = places[: len(plain)], places[len(plain) :]
    return encoded.dictionary, codes, each


def _lines_with(codes: Integers, lines: Integers, words: int) -> npt.NDArray[np.int64]:
    """Of each word, how many lines have it."""
    size = int(lines.max(initial=0)) + 1
    # sorting numbers is so much faster than hashing pairs; the smaller they are, the faster
    pairs: npt.NDArray[np.unsignedinteger[Any]] = codes.astype(
        np.uint32 if words * size < 1 << 32 else np.uint64
    )
    pairs *= pairs.dtype.type(size)
    pairs += lines.astype(pairs.dtype)
    pairs.sort()
    new = np.ones(len(pairs), dtype=bool)
    np.not_equal(pairs[1:], pairs[:-1], out=new[1:])
    return np.bincount((np.compress(new, pairs) // pairs.dtype.type(size)).astype(np.int64), minlength=words)


def count_words(
    blocks: Iterable[bytes],
    name: str,
    path: str | Path,
    facts: Mapping[str, Any],
    *,
    most_words: int = MOST_WORDS,
) -> None:
    """Count the words of blocks into a table of WORD_COUNTS by word at `path`, whole or not at all.

    Memory is bounded, however much text there is: a block, and `most_words` different words. The table's
    metadata are `facts` with tokens, documents and shards (1). Raises InputError with the `name` of what
    is counted where it has no word.
    """
    path = Path(path)
    with TemporaryDirectory(prefix=f".{path.stem}.", dir=path.parent) as spill_name:
        spill = Path(spill_name)
        counter = WordCounter(spill, most_words)
        logged = time.monotonic()
        for block in blocks:
            counter.add(block)
            if time.monotonic() - logged >= _LOG_EVERY:
                logged = time.monotonic()
                logger.info("%.1f million tokens so far", counter.tokens / 1e6, extra=PROGRESS)
        if not counter.tokens:
            raise InputError(f"{name}: holds no words")
        totals = {"tokens": counter.tokens, "documents": counter.documents, "shards": 1}
        write_batches(path, counter.batches(), WORD_COUNTS, {**facts, **totals})
    logger.info("%s: %d tokens in %d documents", name, counter.tokens, counter.documents)
