"""The Evidence table, read some pairs at a time, and that of the likeliest tokens."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from unmask.errors import InputError
from unmask.tables import opened_table, plain_frame, schema

PAIRS_AT_ONCE = 10_000

EVIDENCE = schema(
    """
    pair_id            word   the pair
    role               word   which of its sentences: stereotype, antistereotype or unrelated
    position           i16    place in the scored sequence, special tokens counted, from 0
    token_id           i32    number of the right token in the model's vocabulary
    token              word   the right token
    special            bool   whether it is a special token; under the masking `left` also the first token of
                              a sentence that is read without a start token, which is given and not predicted
    modified           bool?  whether it is outside of the tokens that the pair shares; null for unrelated and
                              shuffled sentences
    log_prob           f32    natural logarithm of the probability of the right token
    rank               i32    rank of the right token among the vocabulary, 1 = top
    attention          f32?   masking `none`: attention received, mean over layers, heads and every query
    attention_content  f32?   as `attention`, over the queries that are not special tokens
    cross_log_prob     f32?   masking `modified`: log-probability of this token, mean over all hidden
                              positions
    source_position    i16?   variant `shuffled`: where the token stood in the original sequence
    """
)
"""One row per predicted token: every token under `none` and `left`, those of the text under `start`,
else the hidden ones."""

LIKELIEST = schema(
    """
    pair_id   word  the pair
    role      word  which of its sentences: stereotype, antistereotype or unrelated
    position  i16   of the predicted token, as in the Evidence table
    place     i16   1 for the most probable token
    token     word  the token
    log_prob  f32   natural logarithm of its probability
    """
)
"""Several rows per row of the Evidence table, in its order: what the model would have put in
the place of each predicted token. Metadata: that of the Evidence table, and top."""


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
