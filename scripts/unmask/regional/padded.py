"""The likelihoods of the code that Li et al. (2022) released: the Padded table.

Sentences have no full stop, and all of a region's are one batch, padded on the right to the longest. The
score is the mean over the columns of the batch but for the first and the last: it takes in the separator and
the padding tokens of sentences that are shorter than the longest.
"""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from transformers import PreTrainedTokenizerBase

from unmask.errors import InputError
from unmask.evidence.engine import Block
from unmask.evidence.sharding import digest_of_parts, is_done_or_updated
from unmask.models.loading import LoadedModel
from unmask.regional.likelihoods import Columns, Floats, Layout, Part, distinct, divided, write_parts
from unmask.regional.schema import PADDED
from unmask.regional.sentences import Indices, Names, Sentences, Template

logger = logging.getLogger(__name__)

INNER = slice(1, -1)
"""The columns of a batch that count."""


def write_padded(
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
    """Write the Padded table of a word list to `path`, whole or not at all.

    As `write_likelihoods`, but that the table has the names alone and all words of the list, whose longest
    one decides on the padding; that the template's full stop goes; and that in sentences, as in the released
    code, "/" is left out of names.
    Raises InputError as `write_likelihoods` does, and for a tokenizer without a padding token.
    """
    path, names = Path(path), distinct(regions["name"])
    of_list = distinct(words.loc[words["list"] == list_, "word_published"])
    template = template.removesuffix(".")
    facts = {**facts, "sentences": digest_of_parts(names, of_list, template)}
    if is_done_or_updated(path, PADDED, facts):
        return
    padding = _padding(model.tokenizer)
    alone = Names(names, model.tokenizer, max_length)
    plain = [name.replace("/", "") for name in names]
    sentences = Sentences(plain, of_list, Template(template), model.tokenizer, max_length)
    longest = sentences.lengths.max(1)

    def of_names(part: range) -> Layout:
        return [(numbers, Block(ids, INNER)) for numbers, ids in alone.arrays(part)]

    def of_sentences(part: range) -> Layout:
        return _padded(sentences, part, longest[part.start : part.stop], padding)

    shard_tokens = shard_tokens or model.device.shard_tokens
    parts = [
        *divided(alone.tokens, [None], of_names, shard_tokens),
        *divided(longest * len(of_list), of_list, of_sentences, shard_tokens),
    ]
    logger.info(
        "list %s, padded: %d names, %d words, shards: %d", list_, len(names), len(of_list), len(parts)
    )
    write_parts(path, PADDED, names, parts, _means, model, facts, bar)


def _padding(tokenizer: PreTrainedTokenizerBase) -> int:
    id_ = tokenizer.pad_token_id
    if id_ is None:
        raise InputError("the tokenizer has no padding token, which the released code's way needs")
    return int(id_)


def _padded(sentences: Sentences, part: range, longest: Indices, padding: int) -> Layout:
    """Sentences padded to the longest of their name's, one block for each length that these have."""
    words = len(sentences.words)
    pieces: dict[int, list[tuple[Indices, Indices, int]]] = {}
    for numbers, ids in sentences.arrays(part):
        lengths = longest[numbers // words]
        unpadded = ids.shape[1]
        for length in np.unique(lengths).tolist():
            some = lengths == length
            filled = np.pad(ids[some], ((0, 0), (0, length - unpadded)), constant_values=padding)
            pieces.setdefault(length, []).append((numbers[some], filled, unpadded))
    layout = []
    for length, alike in sorted(pieces.items()):
        numbers, ids = (np.concatenate([piece[place] for piece in alike]) for place in (0, 1))
        unpadded = np.concatenate([np.full(len(piece[0]), piece[2]) for piece in alike])
        layout.append((numbers, Block(ids, INNER, np.arange(length) < unpadded[:, None])))
    return layout


def _means(part: Part, layout: Layout, answers: Sequence[Floats]) -> Columns:
    log_prob = np.empty(len(part), np.float32)
    for (numbers, _), log_probs in zip(layout, answers, strict=True):
        log_prob[numbers] = log_probs.mean(1, dtype=np.float64)
    return {"log_prob": log_prob}
