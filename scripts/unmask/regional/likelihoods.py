"""How likely a model finds each sentence about a region (Li et al., 2022, equation 1): LIKELIHOODS."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from transformers import PreTrainedTokenizerBase

from unmask.errors import InputError
from unmask.evidence.engine import Block, token_log_probs
from unmask.evidence.tables import Progress, Shard, Table, digest_of_parts, is_renewed, write_in_shards
from unmask.models.loading import LoadedModel
from unmask.regional.schema import LIKELIHOODS

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

    def tokenised(self, names: Sequence[str], words: Sequence[str | None]) -> pd.DataFrame:
        """name, word, ids and special (of each token whether it is, 1 or 0) of sentences.

        Raises InputError for a sentence without tokens, or of more than the model takes.
        """
        rows = pd.DataFrame(product(names, words), columns=["name", "word"], dtype=object)
        spelt = {name: name.replace("/", "") if self.released else name for name in names}
        texts = [
            name if word is None else self.template.format(region=spelt[name], word=word)
            for name, word in product(names, words)
        ]
        encoding = self.tokenizer(texts, return_special_tokens_mask=True, truncation=False, verbose=False)
        rows["ids"], rows["special"] = encoding["input_ids"], encoding["special_tokens_mask"]
        for text, special in zip(texts, rows["special"], strict=True):
            sentence = f"sentence {text[:LONGEST]!r}"
            if all(special):
                raise InputError(f"{sentence}: the tokenizer makes no token of it")
            if self.max_length is not None and len(special) > self.max_length:
                raise InputError(f"{sentence}: {len(special)} tokens, and the model takes {self.max_length}")
        return rows

    def runs(self, names: Sequence[str], most: int) -> list[tuple[list[str], int]]:
        """Runs of names whose sentences have about `most` tokens, and how many these are.

        Of every name the sentence with the longest word is tokenised: one that is too long is met first.
        """
        longest = self.words[int(self.tokenised(names[:1], self.words)["ids"].map(len).argmax())]
        tokens = self.tokenised(names, [longest])["ids"].map(len) * len(self.words)
        runs = tokens.groupby(tokens.cumsum() // most)
        return [([names[row] for row in run.index], int(run.sum())) for _, run in runs]

    def blocks(self, rows: pd.DataFrame) -> list[tuple[Ints, Block, Bools]]:
        """Sentences of one length each: which rows these are, and which columns count."""
        lengths, blocks = rows["ids"].map(len), []
        widths = lengths.groupby(rows["name"]).transform("max") if self.released else lengths
        for width, some in rows.groupby(widths):
            real = np.arange(width) < lengths[some.index].to_numpy()[:, None]
            ids, counted = np.full(real.shape, self.tokenizer.pad_token_id or 0), np.zeros_like(real)
            ids[real] = np.concatenate(some["ids"].tolist())
            counted[real] = np.concatenate(some["special"].tolist()) == 0
            if self.released:
                counted[:] = (np.arange(width) > 0) & (np.arange(width) < width - 1)
            blocks.append((some.index.to_numpy(), (ids, None if real.all() else real), counted))
        return blocks


def _likelihoods(
    model: LoadedModel, sentences: Sentences, names: Sequence[str], progress: Progress
) -> list[pd.DataFrame]:
    """The rows of LIKELIHOODS of some names. Raises InputError for a likelihood that is not finite."""
    table = sentences.tokenised(names, sentences.words)
    table["tokens"] = table["special"].map(lambda special: special.count(0))
    table["unknown"] = [ids.count(sentences.tokenizer.unk_token_id) for ids in table["ids"]]
    if some := table.loc[table["word"].isna() & (table["unknown"] > 0), "name"].tolist():
        known = "names have tokens that the tokenizer does not know (column `unknown`), such as"
        logger.warning("%d of %d %s %r", len(some), len(names), known, some[0])
    blocks, likelihoods = sentences.blocks(table), np.empty(len(table))
    answers = token_log_probs(model, [block for _, block, _ in blocks], progress)
    for (rows, _, counted), log_probs in zip(blocks, answers, strict=True):
        likelihoods[rows] = (log_probs * counted).sum(axis=1, dtype=np.float64) / counted.sum(axis=1)
    if (broken := ~np.isfinite(likelihoods)).any():
        name, word = table.loc[int(broken.argmax()), ["name", "word"]]
        what = "alone" if word is None else f"with the word {word!r}"
        raise InputError(f"region {name!r} {what}: the model gives {likelihoods[broken][0]} as a likelihood")
    return [table.drop(columns=["ids", "special"]).assign(log_prob=likelihoods)]


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

    facts: the table's metadata. shard_tokens: about how many a shard reads, by default what suits the device.
    released: with words as the released code has them, and without the template's full stop.

    Raises InputError for a tokenizer without padding where that is needed, a sentence without tokens or of
    more than `max_length`, and a likelihood that is not finite.
    """
    names = list(dict.fromkeys(regions["name"]))
    of_list = words.loc[words["list"] == list_, "word_published" if released else "word"]
    # the names alone, and with each word
    lists: list[list[str | None]] = [[None], list(dict.fromkeys(of_list))]
    spelt = template.removesuffix(".") if released else template
    table = Table(path, LIKELIHOODS, {**facts, "sentences": digest_of_parts(names, lists, spelt, released)})
    if is_renewed(table):
        return
    if released and model.tokenizer.pad_token_id is None:
        raise InputError("the tokenizer has no padding token, which the sentences of the released code need")
    kinds = [Sentences(each, spelt, released, model.tokenizer, max_length) for each in lists]
    most = shard_tokens or model.device.shard_tokens
    runs = [(kind, some, tokens) for kind in kinds for some, tokens in kind.runs(names, most)]
    progress = Progress(sum(tokens for *_, tokens in runs))
    shards = [
        Shard(digest_of_parts(some, kind.words), tokens, partial(_likelihoods, model, kind, some, progress))
        for kind, some, tokens in runs
    ]
    logger.info("list %s: %d names, %d words, shards: %d", list_, len(names), len(lists[-1]), len(shards))
    write_in_shards([table], shards, progress)
