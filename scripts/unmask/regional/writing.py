"""What a model makes of sentences about regions, written in shards."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from unmask.errors import InputError
from unmask.evidence.engine import Block, own_log_probs
from unmask.evidence.progress import Progress
from unmask.evidence.sharding import Shard, digest_of_parts, write_in_shards
from unmask.models.loading import LoadedModel
from unmask.regional.sentences import Indices

Floats = npt.NDArray[np.floating[Any]]
Layout = list[tuple[Indices, Block]]
"""Sentences as work for the engine: the numbers of each block's inputs among the sentences of a part."""
Columns = Mapping[str, npt.NDArray[np.generic]]
Find = Callable[["Part", Layout, Sequence[Floats]], Columns]
"""From a layout and the engine's answers to the columns of a table: one entry for each of its sentences."""


@dataclass(frozen=True)
class Part:
    """A run of names, with every word or alone."""

    names: range
    words: Sequence[str | None]
    tokens: int
    """read for it"""
    lay_out: Callable[[range], Layout]
    """Sentences are numbered name by name and word by word from the run's first."""

    def __len__(self) -> int:
        return len(self.names) * len(self.words)


def divided(
    tokens: Indices, words: Sequence[str | None], lay_out: Callable[[range], Layout], shard_tokens: int
) -> list[Part]:
    """Runs of names of about `shard_tokens` tokens; `tokens` says how many are read for each name."""
    shard = np.cumsum(tokens) // shard_tokens
    starts = np.flatnonzero(np.diff(shard, prepend=-1))
    ends = [*starts[1:].tolist(), len(tokens)]
    return [
        Part(range(start, end), words, int(tokens[start:end].sum()), lay_out)
        for start, end in zip(starts.tolist(), ends, strict=True)
    ]


def write_parts(
    path: Path,
    schema: pa.Schema,
    names: Sequence[str],
    parts: Sequence[Part],
    find: Find,
    model: LoadedModel,
    facts: Mapping[str, Any],
    bar: bool | None,
) -> None:
    """Write a table with one row for each sentence of each part, whole or not at all, in shards.

    Raises InputError for a value that is not finite, naming name and word, and as `own_log_probs` and
    `write_in_shards` do.
    """
    progress = Progress(sum(part.tokens for part in parts), sys.stderr.isatty() if bar is None else bar)

    def read(layout: Layout) -> Sequence[Floats]:
        return own_log_probs(model, [block for _, block in layout], progress)

    def rows(part: Part, layout: Layout, found: Sequence[Floats]) -> pa.Table:
        own = names[part.names.start : part.names.stop]
        return _table(schema, own, part.words, find(part, layout, found))

    shards = [
        Shard(
            digest_of_parts(names[part.names.start : part.names.stop], part.words),
            part.tokens,
            partial(part.lay_out, part.names),
            read,
            partial(rows, part),
        )
        for part in parts
    ]
    write_in_shards(path, schema, shards, facts, progress)


def _table(
    schema: pa.Schema, names: Sequence[str], words: Sequence[str | None], columns: Columns
) -> pa.Table:
    for column, values in columns.items():
        broken = np.flatnonzero(~np.isfinite(values.astype(np.float64)))
        if len(broken):
            name, word = divmod(int(broken[0]), len(words))
            what = "alone" if words[word] is None else f"word {words[word]!r}"
            raise InputError(
                f"region {names[name]!r}, {what}: the model gives {column} {values[broken[0]]} "
                f"({len(broken)} such sentences of {len(values)})"
            )
    of_name = np.repeat(np.arange(len(names), dtype=np.int32), len(words))
    of_word = np.tile(np.arange(len(words), dtype=np.int32), len(names))
    alone = np.tile([word is None for word in words], len(names))
    texts = [word or "" for word in words]
    arrays = {
        "name": pa.DictionaryArray.from_arrays(pa.array(of_name), pa.array(names, pa.string())),
        "word": pa.DictionaryArray.from_arrays(pa.array(of_word, mask=alone), pa.array(texts, pa.string())),
        **{column: pa.array(values) for column, values in columns.items()},
    }
    return pa.table(arrays).select(schema.names).cast(schema)
