"""How likely a model finds each sentence about a region (Li et al., 2022, eq. 1): the Likelihoods table."""

import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from unmask.errors import InputError
from unmask.evidence.engine import Block, token_log_probs
from unmask.evidence.progress import Progress
from unmask.evidence.sharding import Shard, digest_of_parts, is_done_or_updated, write_in_shards
from unmask.models.loading import LoadedModel
from unmask.regional.schema import LIKELIHOODS
from unmask.regional.sentences import Arrays, Indices, Names, Sentences, Template

logger = logging.getLogger(__name__)

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


def write_likelihoods(
    path: str | Path,
    regions: pd.DataFrame,
    words: pd.DataFrame,
    list_: str,
    model: LoadedModel,
    template: str,
    max_length: int | None,
    facts: Mapping[str, Any],
    shard_tokens: int | None = None,
    bar: bool | None = None,
) -> None:
    """Write the Likelihoods table of a word list to `path`, whole or not at all.

    `regions` and `words` are tables of these names; `facts` are the table's metadata. The table has those
    words of the list that no list before it has, and the names alone if it is the first: the tables of all
    lists up to one have the sentences of that one, each once.

    Names are worked through in shards of about `shard_tokens` tokens (by default what suits the device), see
    `write_in_shards`. A table that is done is left as it is. A `bar` shows the progress on stderr; by default
    where that is a terminal.
    Raises InputError for a template without its two places, a name without tokens and a sentence that is too
    long, before anything is scored; and as `write_parts` does.
    """
    path, names, new = Path(path), distinct(regions["name"]), new_words(words, list_)
    alone = list_ == words["list"].iloc[0]
    facts = {**facts, "sentences": digest_of_parts(names, new, template, alone)}
    if is_done_or_updated(path, LIKELIHOODS, facts):
        return
    of_names = Names(names, model.tokenizer, max_length)
    _report_unknown(of_names)
    shard_tokens = shard_tokens or model.device.shard_tokens
    parts = divided(of_names.tokens, [None], lambda part: _blocks(of_names.arrays(part)), shard_tokens)
    if not alone:
        parts = []
    if new:
        sentences = Sentences(names, new, Template(template), model.tokenizer, max_length)
        reads = sentences.lengths.sum(1)
        parts += divided(reads, new, lambda part: _blocks(sentences.arrays(part)), shard_tokens)

    def find(part: Part, layout: Layout, answers: Sequence[Floats]) -> Columns:
        return _means(part, layout, answers, of_names)

    logger.info("list %s: %d names, %d words of its own, shards: %d", list_, len(names), len(new), len(parts))
    write_parts(path, LIKELIHOODS, names, parts, find, model, facts, bar)


def distinct(texts: "pd.Series[str]") -> list[str]:
    """Each once, in the order in which they first appear."""
    return list(dict.fromkeys(texts))


def new_words(words: pd.DataFrame, list_: str) -> list[str]:
    """The distinct words of a list that no list before it has."""
    first = words.drop_duplicates("word")
    return distinct(first.loc[first["list"] == list_, "word"])


def _blocks(arrays: Arrays) -> Layout:
    return [(numbers, Block(ids)) for numbers, ids in arrays]


def _means(part: Part, layout: Layout, answers: Sequence[Floats], names: Names) -> Columns:
    tokens = np.empty(len(part), np.int16)
    content, special = np.empty((2, len(part)), np.float32)
    for (numbers, block), log_probs in zip(layout, answers, strict=True):
        inner = log_probs[:, names.lead : block.ids.shape[1] - names.trail]
        tokens[numbers] = inner.shape[1]
        content[numbers] = inner.mean(1, dtype=np.float64)
        special[numbers] = log_probs.mean(1, dtype=np.float64)
    unknown = np.repeat(names.unknown[part.names.start : part.names.stop], len(part.words))
    return {"tokens": tokens, "unknown": unknown, "log_prob": content, "log_prob_special": special}


def _report_unknown(names: Names) -> None:
    some = np.flatnonzero(names.unknown)
    if len(some):
        examples = ", ".join(repr(names.names[number]) for number in some[:5])
        logger.warning(
            "%d of %d names have tokens that the tokenizer does not know, see column `unknown`: %s%s",
            len(some),
            len(names.names),
            examples,
            ", …" if len(some) > 5 else "",
        )


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

    Raises InputError for a value that is not finite, naming name and word, and as `token_log_probs` and
    `write_in_shards` do.
    """
    progress = Progress(sum(part.tokens for part in parts), sys.stderr.isatty() if bar is None else bar)

    def read(layout: Layout) -> Sequence[Floats]:
        return token_log_probs(model, [block for _, block in layout], progress)

    def rows(part: Part, layout: Layout, answers: Sequence[Floats]) -> pa.Table:
        part_names = names[part.names.start : part.names.stop]
        return _table(schema, part_names, part.words, find(part, layout, answers))

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
