"""Counting the words of a corpus, a file at a time, and adding up its files.

Text is cut at its ASCII characters that are in no word, and Arrow counts equal pieces as one. Only the
different pieces, of which there are few, meet the rule of unmask.words; nothing in that rule looks beyond
such a piece.
"""

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from unmask.errors import InputError
from unmask.frequency.schema import WORD_COUNTS
from unmask.tables import read_arrow
from unmask.words import words_of

AT_ONCE = 1_000_000
"""So many rows of counts wait to be added up, beside those that were."""

_SPACE = ord(" ")
# ASCII characters in lower case, those that are in no word as spaces; other characters as they are
_FOLDED = bytes(b if b >= 0x80 or chr(b).isalnum() or b == ord("'") else _SPACE for b in range(256)).lower()


def count_words(blocks: Iterable[bytes], name: str) -> pa.Table:
    """The words of blocks of UTF-8, each cut where it is in no word, as WORD_COUNTS.

    Raises InputError with the `name` of what is counted where it has no word.
    """
    counts = _words(_added_up(map(_pieces, blocks)))
    if not len(counts):
        raise InputError(f"{name}: holds no words")
    return in_order(_added_up([counts]))


def counts_of_files(paths: Iterable[str | Path]) -> pa.Table:
    """The counts of a corpus from those of its files. Raises InputError where one is no such table."""
    return in_order(_added_up(read_arrow(path, WORD_COUNTS) for path in paths))


def in_order(counts: pa.Table) -> pa.Table:
    """The most frequent word first, and those of one count in order of code points."""
    return counts.sort_by([("count", "descending"), ("word", "ascending")])


def _pieces(block: bytes) -> pa.Table:
    text = pa.array([block.translate(_FOLDED)], pa.large_string())
    counted = pc.value_counts(pc.ascii_split_whitespace(text).flatten())
    return _table(counted.field("values").cast(pa.string()), counted.field("counts"))


def _table(words: pa.Array, counts: pa.Array) -> pa.Table:
    return pa.table([words, counts], schema=WORD_COUNTS)


def _added_up(tables: Iterable[pa.Table]) -> pa.Table:
    """Tables of counts as one, with a row for each word."""
    waiting, rows = [WORD_COUNTS.empty_table()], 0
    for table in tables:
        waiting.append(table)
        rows += len(table)
        if rows > AT_ONCE:
            waiting, rows = [_summed(waiting)], 0
    return _summed(waiting)


def _summed(tables: list[pa.Table]) -> pa.Table:
    sums = pa.concat_tables(tables).group_by("word", use_threads=False).aggregate([("count", "sum")])
    return _table(sums["word"].combine_chunks(), sums["count_sum"].combine_chunks())


def _words(pieces: pa.Table) -> pa.Table:
    """The counts of words, not yet added up, from those of pieces."""
    texts = pieces["word"]
    # such a piece is a word, or empty
    plain = pc.and_(pc.string_is_ascii(texts), pc.invert(pc.match_substring(texts, "'")))
    is_word = pc.and_(plain, pc.not_equal(texts, ""))
    others = pieces.filter(pc.invert(plain)).to_pylist()
    rows = [{**piece, "word": word} for piece in others for word in words_of(piece["word"])]
    return pa.concat_tables([pieces.filter(is_word), pa.Table.from_pylist(rows, WORD_COUNTS)])
