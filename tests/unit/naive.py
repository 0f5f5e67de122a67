"""Counting words the slow, obvious way."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from library import words_of

Rows = list[tuple[str, int]]


def naive_counts(texts: Iterable[str]) -> Rows:
    """Each word with its count, the most frequent first, and those of one count in order."""
    counts = Counter(word for text in texts for word in words_of(text))
    return sorted(counts.items(), key=lambda row: (-row[1], row[0]))


def rows_of(table: pa.Table) -> Rows:
    """What a table of word counts has, in its order."""
    assert table.column_names == ["word", "count"]
    return list(zip(*table.to_pydict().values(), strict=True))


def rows(path: Path) -> Rows:
    """The same of a file."""
    return rows_of(pq.read_table(path))
