"""The table of embeddings of a suite: what an encoder makes of its stimuli, the evidence of this family."""

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from unmask.associations.schema import EMBEDDINGS
from unmask.evidence.tables import Progress, Shard, Table, digest_of_parts, write_in_shards
from unmask.tables import read_arrow

logger = logging.getLogger(__name__)

Vectors = npt.NDArray[np.float32]
Embed = Callable[[pd.DataFrame], Mapping[str, Vectors]]
"""From distinct stimuli to their vectors by pooling, each stimuli × width."""

SHARD = 1024
"""Stimuli of a shard: seconds of work on a small model, a minute on a large one."""

CHARACTERS = 4
"""Of a token, about, for how long it will take."""


def write_embeddings(
    path: str | Path,
    stimuli: pd.DataFrame,
    width: int,
    poolings: Sequence[str],
    embed: Embed,
    facts: Mapping[str, Any],
) -> None:
    """Write the vectors of the distinct stimuli of STIMULI to `path` in shards, whole or not at all: a killed
    job resumes where it was.

    `facts` are the table's metadata. Raises what `embed` does.
    """
    distinct = stimuli.drop_duplicates("stimulus").sort_values("stimulus").reset_index(drop=True)
    contents = distinct[["word", "text", "image"]].astype(object).where(lambda part: part.notna(), None)
    tokens = distinct["text"].str.len() / CHARACTERS + 2
    progress = Progress(float(tokens.sum()))

    def shard(start: int) -> Shard:
        part = slice(start, start + SHARD)
        rows, cost = distinct.iloc[part], float(tokens.iloc[part].sum())

        def read() -> list[pa.Table]:
            vectors = embed(rows)
            progress.add(round(cost))
            return [embeddings_of(rows, vectors)]

        return Shard(digest_of_parts(contents.iloc[part].to_numpy().tolist()), cost, read)

    logger.info("%d stimuli, poolings: %s", len(distinct), ", ".join(poolings))
    table = Table(Path(path), EMBEDDINGS, {**facts, "width": width, "poolings": list(poolings)})
    write_in_shards([table], map(shard, range(0, len(distinct), SHARD)), progress)


def embeddings_of(stimuli: pd.DataFrame, vectors: Mapping[str, Vectors]) -> pa.Table:
    """The rows of an embeddings table: stimulus by stimulus, and of each pooling by pooling.

    stimuli: distinct ones, n rows. vectors: by pooling, n × width each.
    """
    stacked = np.stack(list(vectors.values()), axis=1)
    count, poolings, width = stacked.shape
    names = np.tile(np.arange(poolings, dtype=np.int32), count)
    columns = {
        "stimulus": pa.array(np.repeat(stimuli["stimulus"].to_numpy(np.int32), poolings)),
        "pooling": pa.DictionaryArray.from_arrays(pa.array(names), pa.array(list(vectors), pa.string())),
        "embedding": pa.ListArray.from_arrays(
            np.arange(count * poolings + 1, dtype=np.int32) * width, stacked.astype(np.float32).reshape(-1)
        ),
    }
    return pa.table(columns).cast(EMBEDDINGS)


def read_embeddings(path: str | Path) -> dict[str, Vectors]:
    """The vectors of a table by pooling, stimuli × width each. Raises InputError as `read_arrow` does."""
    table = read_arrow(path, EMBEDDINGS)
    values = table.column("embedding").combine_chunks().flatten().to_numpy().reshape(len(table), -1)
    numbers = table.column("stimulus").to_numpy()
    poolings = table.column("pooling").to_pandas().astype(str).to_numpy()
    return {
        name: values[poolings == name][np.argsort(numbers[poolings == name])]
        for name in dict.fromkeys(poolings.tolist())
    }
