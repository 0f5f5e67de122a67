"""How likely a model finds each sentence about a region (Li et al., 2022, eq. 1): the Likelihoods table."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from unmask.evidence.engine import Block
from unmask.evidence.sharding import digest_of_parts, is_done_or_noted
from unmask.models.loading import LoadedModel
from unmask.regional.schema import LIKELIHOODS
from unmask.regional.sentences import Arrays, Names, Sentences, Template
from unmask.regional.writing import Columns, Floats, Layout, Part, divided, write_parts

logger = logging.getLogger(__name__)


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
    if is_done_or_noted(path, LIKELIHOODS, facts):
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

    def find(part: Part, layout: Layout, found: Sequence[Floats]) -> Columns:
        return _means(part, layout, found, of_names)

    logger.info("list %s: %d names, %d words of its own, shards: %d", list_, len(names), len(new), len(parts))
    write_parts(path, LIKELIHOODS, names, parts, find, model, facts, bar)


def distinct(texts: "pd.Series[str]") -> list[str]:
    """Each once, in the order in which they first appear."""
    found: list[str] = texts.drop_duplicates().tolist()
    return found


def new_words(words: pd.DataFrame, list_: str) -> list[str]:
    """The distinct words of a list that no list before it has."""
    first = words.drop_duplicates("word")
    return distinct(first.loc[first["list"] == list_, "word"])


def _blocks(arrays: Arrays) -> Layout:
    return [(numbers, Block(ids)) for numbers, ids in arrays]


def _means(part: Part, layout: Layout, found: Sequence[Floats], names: Names) -> Columns:
    tokens = np.empty(len(part), np.int16)
    content, special = np.empty((2, len(part)), np.float32)
    for (numbers, block), log_probs in zip(layout, found, strict=True):
        inner = log_probs[:, names.lead : block.ids.shape[1] - names.trail]
        tokens[numbers] = inner.shape[1]
        content[numbers] = inner.mean(1, dtype=np.float64)
        special[numbers] = log_probs.mean(1, dtype=np.float64)
    unknown = np.repeat(names.unknown[part.names.start : part.names.stop], len(part.words))
    return {"tokens": tokens, "unknown": unknown, "log_prob": content, "log_prob_special": special}


def _report_unknown(names: Names) -> None:
    some = np.flatnonzero(names.unknown)
    if len(some):
        shown = ", ".join(repr(names.names[number]) for number in some[:5])
        logger.warning(
            "%d of %d names have tokens that the tokenizer does not know, see column `unknown`: %s%s",
            len(some),
            len(names.names),
            shown,
            ", …" if len(some) > 5 else "",
        )
