"""Counting words the slow, obvious way."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pyarrow.parquet as pq

from unmask.words import words_of

Rows = list[tuple[str, int, int]]


def naive_counts(documents: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Of each word its count and its number of documents."""
    counts, holding = Counter[str](), Counter[str]()
    for document in documents:
        words = words_of(document)
        counts.update(words)
        holding.update(set(words))
    return {word: (counts[word], holding[word]) for word in counts}


def by_word(documents: Iterable[str]) -> Rows:
    return sorted((word, *numbers) for word, numbers in naive_counts(documents).items())


def by_count(documents: Iterable[str]) -> Rows:
    return sorted(by_word(documents), key=lambda row: (-row[1], row[0]))


def rows(path: Path) -> Rows:
    """What a table of word counts holds, in its order."""
    columns = pq.read_table(path).to_pydict()
    assert list(columns) == ["word", "count", "documents"]
    return list(zip(*columns.values(), strict=True))
