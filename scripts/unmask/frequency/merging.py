"""Merging tables of word counts, in bounded memory, and putting them in order."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from unmask.errors import InputError
from unmask.frequency.schema import WORD_COUNTS
from unmask.tables import read_metadata, write_batches

logger = logging.getLogger(__name__)

ROWS = 20_000
"""Rows of one batch."""

RARE = 63
"""Words up to this count are put in order by files, one a count; the others in memory."""


def read_counts(path: str | Path) -> Iterator[pa.Table]:
    """The rows of a table of counts, in batches. Raises InputError where the file is none."""
    with _opened(path) as file:
        for batch in file.iter_batches(ROWS, use_threads=False):
            yield pa.Table.from_batches([batch]).replace_schema_metadata()


@contextmanager
def _opened(path: str | Path) -> Iterator[pq.ParquetFile]:
    try:
        with pq.ParquetFile(path, pre_buffer=False) as file:
            if not file.schema_arrow.remove_metadata().equals(WORD_COUNTS):
                raise InputError(f"{path}: its columns are not those of word counts; delete it and run again")
            yield file
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path}: not a readable Parquet file ({error}); delete it and run again") from None


def _facts(path: str) -> dict[str, Any]:
    with _opened(path):
        return read_metadata(path)


def summed(tables: list[pa.Table]) -> pa.Table:
    """One row for each word of the tables, with the sums of its numbers, in order of first appearance."""
    table = pa.concat_tables(tables)
    encoded = table.column("word").combine_chunks().dictionary_encode()
    place = np.asarray(encoded.indices)
    sums = []
    for name in ("count", "documents"):
        total = np.zeros(len(encoded.dictionary), dtype=np.int64)
        np.add.at(total, place, table.column(name).to_numpy())
        sums.append(pa.array(total))
    return pa.Table.from_arrays([encoded.dictionary, *sums], schema=WORD_COUNTS)


def sorted_by_word(table: pa.Table) -> Iterator[pa.Table]:
    """The rows by word (in order of code points), in batches."""
    order = pc.sort_indices(table, sort_keys=[("word", "ascending")])
    for start in range(0, len(table), ROWS):
        yield table.take(order[start : start + ROWS])


def merged(streams: Iterable[Iterable[pa.Table]]) -> Iterator[pa.Table]:
    """Streams of batches by word as one such stream, in which every word stands once."""
    heads = [_Head(iter(stream)) for stream in streams]
    while heads := [head for head in heads if head.rows is not None]:
        # up to here every stream is known
        limit = min(head.last for head in heads)
        yield from sorted_by_word(summed([head.up_to(limit) for head in heads]))


class _Head:
    """The front of a stream: the rows read and not yet taken, None at its end."""

    def __init__(self, batches: Iterator[pa.Table]) -> None:
        self._batches = batches
        self.rows: pa.Table | None = None
        self._refill()

    @property
    def last(self) -> str:
        assert self.rows is not None
        word: str = self.rows.column("word")[-1].as_py()
        return word

    def up_to(self, limit: str) -> pa.Table:
        """Take the rows of words up to `limit`."""
        assert self.rows is not None
        size = pc.sum(pc.less_equal(self.rows.column("word"), limit)).as_py()
        taken, self.rows = self.rows.slice(0, size), self.rows.slice(size)
        if not len(self.rows):
            self._refill()
        return taken

    def _refill(self) -> None:
        self.rows = next((batch for batch in self._batches if len(batch)), None)


def merge_counts(inputs: list[str], path: str | Path, facts: Mapping[str, Any], *, last: bool) -> None:
    """Merge tables of counts by word into one at `path`, whole or not at all.

    The result is by word too, or, if it is the `last` merge of a corpus, by count and then by word.
    Its metadata are `facts` with the sums of tokens, documents and shards. Memory is bounded by the number
    of inputs and, in the last merge, by that of words that come more than RARE times.
    """
    counted = [_facts(table) for table in inputs]
    totals = {key: sum(each[key] for each in counted) for key in ("tokens", "documents", "shards")}
    batches = merged([read_counts(table) for table in inputs])
    path = Path(path)
    with TemporaryDirectory(prefix=f".{path.stem}.", dir=path.parent) as folder_name:
        folder = Path(folder_name)
        rows = by_count(batches, folder) if last else batches
        write_batches(path, rows, WORD_COUNTS, {**facts, **totals})
    logger.info("%s: %d words, %d tokens", path, pq.read_metadata(path).num_rows, totals["tokens"])


def by_count(batches: Iterable[pa.Table], folder: Path) -> Iterator[pa.Table]:
    """Rows that come by word, by count and then by word; `folder` is for files in between.

    Most words are rare, and words of one count are in order already: each low count has a file.
    """
    files = {count: folder / f"{count}.arrow" for count in range(1, RARE + 1)}
    frequent: list[pa.Table] = []
    writers = {count: pa.ipc.new_stream(str(file), WORD_COUNTS) for count, file in files.items()}
    try:
        for batch in batches:
            count = batch.column("count").to_numpy()
            frequent.append(batch.filter(count > RARE))
            # stable, so that words stay in order
            order = np.argsort(count, kind="stable")
            ends = np.searchsorted(count[order], np.arange(RARE + 1), side="right")
            for rare in range(1, RARE + 1):
                if ends[rare] > ends[rare - 1]:
                    writers[rare].write_table(batch.take(order[ends[rare - 1] : ends[rare]]))
    finally:
        for writer in writers.values():
            writer.close()
    table = pa.concat_tables([WORD_COUNTS.empty_table(), *frequent])
    order = pc.sort_indices(table, sort_keys=[("count", "descending"), ("word", "ascending")])
    yield table.take(order)
    for count in reversed(range(1, RARE + 1)):
        with pa.ipc.open_stream(str(files[count])) as stream:
            yield from (pa.Table.from_batches([batch]) for batch in stream)
