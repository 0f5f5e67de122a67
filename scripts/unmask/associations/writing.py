"""Writing the embeddings of a suite, in shards: a killed job goes on where it was."""

import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from unmask.associations.schema import embeddings
from unmask.evidence.progress import Progress
from unmask.evidence.sharding import Shard, digest_of_parts, is_done_or_updated, write_in_shards
from unmask.tables import opened_table

logger = logging.getLogger(__name__)

Vectors = npt.NDArray[np.float32]
Encode = Callable[[pd.DataFrame], Mapping[str, Vectors]]
"""From distinct stimuli to their vectors by pooling, each stimuli × width."""

SHARD = 1024
"""Stimuli of a shard: seconds of work on a small model, a minute on a large one."""

TOKEN = 4
"""Characters of a token, about, for how long it will take."""


def distinct_stimuli(stimuli: pd.DataFrame) -> pd.DataFrame:
    """One row of STIMULI for each number, in their order."""
    return stimuli.drop_duplicates("stimulus").sort_values("stimulus").reset_index(drop=True)


def write_embeddings(
    path: str | Path,
    stimuli: pd.DataFrame,
    width: int,
    poolings: Sequence[str],
    encode: Encode,
    facts: Mapping[str, Any],
    bar: bool | None = None,
) -> None:
    """Write what an encoder makes of the distinct stimuli of STIMULI to `path`, whole or not at all.

    `facts` are the table's metadata. A table that is there, of just these stimuli and facts, is left as it
    is. A `bar` shows the progress on stderr; by default where that is a terminal. Raises what `encode` does.
    """
    path, distinct = Path(path), distinct_stimuli(stimuli)
    schema, contents = embeddings(width), _contents(distinct)
    facts = {
        **facts,
        "width": width,
        "poolings": list(poolings),
        "stimuli": digest_of_parts(contents),
    }
    if is_done_or_updated(path, schema, facts):
        return
    tokens = distinct["text"].str.len() / TOKEN + 2
    with_bar = sys.stderr.isatty() if bar is None else bar
    progress = Progress(float(tokens.sum()), with_bar, len(distinct), "stimuli")

    def read(rows: pd.DataFrame) -> Mapping[str, Vectors]:
        vectors = encode(rows)
        progress.add(len(rows), round(float(tokens[rows.index].sum())))
        return vectors

    def as_rows(rows: pd.DataFrame, vectors: Mapping[str, Vectors]) -> pa.Table:
        return embeddings_of(rows["stimulus"].to_numpy(), {name: vectors[name] for name in poolings})

    def shard(start: int) -> Shard[pd.DataFrame, Mapping[str, Vectors]]:
        rows = distinct.iloc[start : start + SHARD]
        digest = digest_of_parts(contents[start : start + SHARD])
        return Shard(digest, float(tokens[rows.index].sum()), lambda: rows, read, as_rows)

    logger.info("%d stimuli, poolings: %s", len(distinct), ", ".join(poolings))
    write_in_shards(path, schema, [shard(start) for start in range(0, len(distinct), SHARD)], facts, progress)


def _contents(stimuli: pd.DataFrame) -> list[list[str | None]]:
    """What stimuli are, as JSON holds it."""
    rows = stimuli[["word", "text", "image"]].astype(object)
    contents: list[list[str | None]] = rows.where(rows.notna(), None).to_numpy().tolist()
    return contents


def embeddings_of(stimuli: npt.NDArray[np.integer[Any]], vectors: Mapping[str, Vectors]) -> pa.Table:
    """The rows of an embeddings table: stimulus by stimulus, and of each pooling by pooling.

    stimuli: their numbers, n. vectors: by pooling, n × width each.
    """
    stacked = np.stack(list(vectors.values()), axis=1)
    count, poolings, width = stacked.shape
    values = pa.array(stacked.astype(np.float32).reshape(-1))
    of_pooling = np.tile(np.arange(poolings, dtype=np.int32), count)
    arrays = {
        "stimulus": pa.array(np.repeat(stimuli.astype(np.int32), poolings)),
        "pooling": pa.DictionaryArray.from_arrays(pa.array(of_pooling), pa.array(list(vectors), pa.string())),
        "embedding": pa.FixedSizeListArray.from_arrays(values, width),
    }
    return pa.table(arrays).cast(embeddings(width))


def read_embeddings(path: str | Path, width: int, stimuli: int) -> dict[str, Vectors]:
    """The embeddings of a table by pooling, stimuli × width each; a stimulus that it lacks has NaN.

    Raises InputError where the file is no such table of this width.
    """
    with opened_table(path, embeddings(width)) as file:
        table = file.read()
    values = table.column("embedding").combine_chunks().flatten().to_numpy().reshape(-1, width)
    numbers = table.column("stimulus").to_numpy()
    poolings = table.column("pooling").unify_dictionaries().combine_chunks()
    codes, vectors = poolings.indices.to_numpy(), {}
    for code, name in enumerate(poolings.dictionary.to_pylist()):
        of_pooling = np.full((stimuli, width), np.nan, dtype=np.float32)
        of_pooling[numbers[codes == code]] = values[codes == code]
        vectors[str(name)] = of_pooling
    return vectors
