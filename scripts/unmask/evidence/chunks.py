"""Reading evidence of many pairs, some at a time."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from unmask.errors import InputError
from unmask.evidence.schema import EVIDENCE
from unmask.tables import opened_table, plain_frame

PAIRS_AT_ONCE = 10_000


def in_chunks(
    files: Mapping[str, str | Path], pairs: pd.DataFrame, at_once: int = PAIRS_AT_ONCE
) -> Iterator[tuple[pd.DataFrame, dict[str, pd.DataFrame]]]:
    """The pairs of a benchmark, `at_once` at a time, with their rows of each Evidence table in `files`.

    Raises InputError where a file is no Evidence table, or where its pairs are not those of the benchmark in
    their order.
    """
    pair_ids, starts = pd.Index(pairs["pair_id"]), range(0, len(pairs), at_once)
    readers = {name: _chunks(path, pair_ids, at_once, len(starts)) for name, path in files.items()}
    for start in starts:
        chunk = pairs.iloc[start : start + at_once].reset_index(drop=True)
        yield chunk, {name: next(reader) for name, reader in readers.items()}


def _chunks(path: str | Path, pair_ids: "pd.Index[str]", at_once: int, count: int) -> Iterator[pd.DataFrame]:
    """The rows of each of `count` chunks of pairs."""
    last = done = 0
    parts: list[pa.RecordBatch] = []
    for batch in opened_table(path, EVIDENCE).iter_batches():
        words = batch.column("pair_id")
        place = pair_ids.get_indexer(words.dictionary.to_pandas())[words.indices.to_numpy()]
        # a pair that is none of the benchmark's has the place -1
        if (np.diff(place, prepend=last) < 0).any():
            raise InputError(
                f"{path}: its pairs are not those of the benchmark in their order; delete it and run again"
            )
        ends = np.searchsorted(place, at_once * np.arange(done + 1, count + 1))
        last, start = place[-1], 0
        for end in ends[ends < len(place)]:
            yield _frame([*parts, batch.slice(start, end - start)])
            parts, start, done = [], end, done + 1
        parts.append(batch.slice(start))
    for _ in range(done, count):
        yield _frame(parts)
        parts = []


def _frame(batches: list[pa.RecordBatch]) -> pd.DataFrame:
    return plain_frame(pa.Table.from_batches(batches, EVIDENCE.empty_table().schema), EVIDENCE)
