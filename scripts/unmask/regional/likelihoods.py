"""How likely a model finds each sentence about a region (Li et al., 2022, equation 1): LIKELIHOODS."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from transformers import PreTrainedTokenizerBase

from unmask.errors import InputError
from unmask.evidence.engine import Block, token_log_probs
from unmask.evidence.lists import Table, is_renewed
from unmask.evidence.progress import Progress
from unmask.evidence.shards import Shard, digest_of_parts, write_in_shards
from unmask.models.loading import LoadedModel
from unmask.regional.schema import LIKELIHOODS
from unmask.regional.wording import check_template

logger = logging.getLogger(__name__)

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
LONGEST = 80
"""Characters of a text that a message has."""


@dataclass(frozen=True)
class Sentences:
    """Every name with every word of a list, in this order; the word None is the name alone.

    released: as the released code has them. A region's sentences are one batch, padded to the longest, and a
    likelihood is the mean over all columns but the first and last, with the separator and padding of the
    shorter ones. "/" is left out of names.
    """

    words: Sequence[str | None]
    template: str
    released: bool
    tokenizer: PreTrainedTokenizerBase
    max_length: int | None

    def encoded(self, pairs: Sequence[tuple[str, str | None]]) -> tuple[list[list[int]], list[list[int]]]:
        """Of each sentence the token ids, and of each token whether it is special (1, else 0).

        Raises InputError for a sentence without tokens, or of more than the model takes.
        """
        texts = [
            name if word is None else self.template.format(region=self._spelt(name), word=word)
            for name, word in pairs
        ]
        encoding = self.tokenizer(texts, return_special_tokens_mask=True, truncation=False, verbose=False)
        ids, special = encoding["input_ids"], encoding["special_tokens_mask"]
        for text, flags in zip(texts, special, strict=True):
            if all(flags):
                raise InputError(f"sentence {text[:LONGEST]!r}: the tokenizer makes no token of it")
            if self.max_length is not None and len(flags) > self.max_length:
                most = f"{len(flags)} tokens, and the model takes {self.max_length}"
                raise InputError(f"sentence {text[:LONGEST]!r}: {most}")
        return ids, special

    def _spelt(self, name: str) -> str:
        return name.replace("/", "") if self.released else name

    def runs(self, names: Sequence[str], most: int) -> list[tuple[list[str], int]]:
        """Runs of names whose sentences have about `most` tokens, and how many these are.

        Of every name the sentence with the longest word is tokenised: one that is too long is met first.
        """
        of_words, _ = self.encoded([(names[0], word) for word in self.words])
        longest = self.words[int(np.argmax([len(ids) for ids in of_words]))]
        of_names, _ = self.encoded([(name, longest) for name in names])
        tokens = np.array([len(ids) for ids in of_names]) * len(self.words)
        runs = pd.Series(tokens).groupby(np.cumsum(tokens) // most)
        return [([names[row] for row in run.index], int(run.sum())) for _, run in runs]

    def laid_out(self, names: Sequence[str]) -> tuple[pd.DataFrame, list[tuple[Ints, Block, Bools]]]:
        """The rows of their sentences without likelihoods, and blocks of sentences of one length: which rows
        these are, and which columns count."""
        pairs, blocks = [(name, word) for name in names for word in self.words], []
        ids, special = self.encoded(pairs)
        lengths = np.array([len(flags) for flags in special])
        table = pd.DataFrame(pairs, columns=["name", "word"], dtype=object)
        table["tokens"] = lengths - [sum(flags) for flags in special]
        table["unknown"] = [each.count(self.tokenizer.unk_token_id) for each in ids]
        widths = lengths
        if self.released:
            widths = lengths.reshape(len(names), -1).max(axis=1).repeat(len(self.words))
        for width in np.unique(widths):
            rows = np.flatnonzero(widths == width)
            real = np.arange(width) < lengths[rows, None]
            block, counted = np.full(real.shape, self.tokenizer.pad_token_id or 0), np.zeros_like(real)
            block[real] = np.concatenate([ids[row] for row in rows])
            counted[real] = np.concatenate([special[row] for row in rows]) == 0
            if self.released:
                counted = np.broadcast_to((np.arange(width) > 0) & (np.arange(width) < width - 1), real.shape)
            blocks.append((rows, Block(block, mask=None if real.all() else real), counted))
        return table, blocks


def _likelihoods(
    model: LoadedModel, sentences: Sentences, names: Sequence[str], progress: Progress
) -> list[pd.DataFrame]:
    """The rows of LIKELIHOODS of some names. Raises InputError for a likelihood that is not finite."""
    table, blocks = sentences.laid_out(names)
    if some := table.loc[table["word"].isna() & (table["unknown"] > 0), "name"].tolist():
        known = "names have tokens that the tokenizer does not know (column `unknown`), such as"
        logger.warning("%d of %d %s %r", len(some), len(names), known, some[0])
    answers = token_log_probs(model, [block for _, block, _ in blocks], progress)
    likelihoods = np.empty(len(table))
    for (rows, _, counted), log_probs in zip(blocks, answers, strict=True):
        likelihoods[rows] = (log_probs * counted).sum(axis=1, dtype=np.float64) / counted.sum(axis=1)
    if (broken := ~np.isfinite(likelihoods)).any():
        name, word = table.loc[int(broken.argmax()), ["name", "word"]]
        what = "alone" if word is None else f"with the word {word!r}"
        raise InputError(f"region {name!r} {what}: the model gives {likelihoods[broken][0]} as a likelihood")
    return [table.assign(log_prob=likelihoods)]


def write_likelihoods(
    path: Path,
    regions: pd.DataFrame,
    words: pd.DataFrame,
    list_: str,
    model: LoadedModel,
    template: str,
    max_length: int | None,
    facts: Mapping[str, Any],
    released: bool = False,
    shard_tokens: int | None = None,
) -> None:
    """Write the LIKELIHOODS of a list of words to `path`, whole or not at all; a killed job resumes.

    regions, words: tables of these names. facts: the table's metadata. shard_tokens: about how many a shard
    reads, by default what suits the device.

    The table has the words of the list that no list before it has, and the names alone if it is the first:
    those of all lists up to one have each sentence once. With `released` it has the names alone and all of
    the list's words as the released code has them, and the template loses its full stop.

    Raises InputError for a template without its two places, a tokenizer without padding where that is needed,
    a sentence without tokens or of more than `max_length`, and a likelihood that is not finite.
    """
    check_template(template)
    names = list(dict.fromkeys(regions["name"]))
    new = words if released else words.drop_duplicates("word")
    of_list = new.loc[new["list"] == list_, "word_published" if released else "word"]
    lists: list[list[str | None]] = [[None], list(dict.fromkeys(of_list))]
    if not released and list_ != words["list"].iloc[0]:
        del lists[0]
    spelt = template.removesuffix(".") if released else template
    table = Table(path, LIKELIHOODS, {**facts, "sentences": digest_of_parts(names, lists, spelt, released)})
    if is_renewed(table):
        return
    if released and model.tokenizer.pad_token_id is None:
        raise InputError("the tokenizer has no padding token, which the sentences of the released code need")
    kinds = [Sentences(each, spelt, released, model.tokenizer, max_length) for each in lists if each]
    most = shard_tokens or model.device.shard_tokens
    runs = [(kind, some, tokens) for kind in kinds for some, tokens in kind.runs(names, most)]
    progress = Progress(sum(tokens for *_, tokens in runs))
    shards = [
        Shard(digest_of_parts(some, kind.words), tokens, partial(_likelihoods, model, kind, some, progress))
        for kind, some, tokens in runs
    ]
    logger.info("list %s: %d names, %d words, shards: %d", list_, len(names), len(lists[-1]), len(shards))
    write_in_shards([table], shards, progress)
