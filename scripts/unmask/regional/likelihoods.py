"""How likely a model finds each sentence about a region (Li et al., 2022, equation 1): LIKELIHOODS."""

import logging
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from transformers import PreTrainedTokenizerBase

from unmask.errors import InputError
from unmask.evidence.engine import Block, token_log_probs
from unmask.evidence.progress import Progress
from unmask.evidence.sharding import Shard, digest_of_parts, is_done_or_updated, write_in_shards
from unmask.models.loading import LoadedModel
from unmask.regional.schema import LIKELIHOODS
from unmask.regional.wording import check_template

logger = logging.getLogger(__name__)

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Answers = Sequence[npt.NDArray[np.float32]]

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

    def of(self, names: Iterable[str]) -> list[str]:
        """The texts."""
        return [self._text(name, word) for name in names for word in self.words]

    def _text(self, name: str, word: str | None) -> str:
        if word is None:
            return name
        return self.template.format(region=name.replace("/", "") if self.released else name, word=word)


class Layout(NamedTuple):
    """Texts as work for the engine: blocks of one length. By block: its texts, and which columns count."""

    blocks: list[Block]
    texts: list[Ints]
    counted: list[Bools]
    tokens: Ints
    unknown: Ints


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
    bar: bool | None = None,
) -> None:
    """Write the LIKELIHOODS of a list of words to `path`, whole or not at all; a killed job resumes.

    regions, words: tables of these names. facts: the table's metadata. shard_tokens: about how many a shard
    reads, by default what suits the device. bar: whether progress is shown on stderr, by default where that
    is a terminal.

    The table has the words of the list that no list before it has, and the names alone if it is the first:
    those of all lists up to one have each sentence once. With `released` it has the names alone and all of
    the list's words as the released code has them, and the template loses its full stop.

    Raises InputError for a template without its two places, a tokenizer without padding where that is needed,
    a text without tokens or of more than `max_length`, and a likelihood that is not finite.
    """
    check_template(template)
    names = distinct(regions["name"])
    alone = Sentences([None], template, released)
    if released:
        of_list = distinct(words.loc[words["list"] == list_, "word_published"])
        kinds = [alone, Sentences(of_list, template.removesuffix("."), released)]
    else:
        of_list = new_words(words, list_)
        kinds = [alone] if list_ == words["list"].iloc[0] else []
        kinds += [Sentences(of_list, template, released)] if of_list else []
    sentences = digest_of_parts(names, [[kind.words, kind.template, kind.released] for kind in kinds])
    facts = {**facts, "sentences": sentences}
    if is_done_or_updated(path, LIKELIHOODS, facts):
        return
    if released and model.tokenizer.pad_token_id is None:
        raise InputError("the tokenizer has no padding token, which the sentences of the released code need")
    most = shard_tokens or model.device.shard_tokens
    runs = [
        (kind, some, tokens)
        for kind in kinds
        for some, tokens in _runs(kind, names, model.tokenizer, max_length, most)
    ]
    progress = Progress(sum(tokens for *_, tokens in runs), sys.stderr.isatty() if bar is None else bar)

    def read(layout: Layout) -> Answers:
        return token_log_probs(model, layout.blocks, progress)

    shards = [
        Shard(
            digest_of_parts(some, kind.words),
            tokens,
            partial(_laid_out, model.tokenizer, kind, some, max_length),
            read,
            partial(_rows, kind, some),
        )
        for kind, some, tokens in runs
    ]
    logger.info("list %s: %d names, %d words, shards: %d", list_, len(names), len(of_list), len(shards))
    write_in_shards(path, LIKELIHOODS, shards, facts, progress)


def distinct(texts: "pd.Series[str]") -> list[str]:
    """Each once, in the order in which they first appear."""
    return list(dict.fromkeys(texts))


def new_words(words: pd.DataFrame, list_: str) -> list[str]:
    """The distinct words of a list that no list before it has."""
    first = words.drop_duplicates("word")
    return distinct(first.loc[first["list"] == list_, "word"])


def _encoded(
    tokenizer: PreTrainedTokenizerBase, texts: Sequence[str], max_length: int | None
) -> tuple[Ints, Ints, Bools]:
    """How many tokens each text has; and of all, one text behind the other, ids and whether special."""
    encoding = tokenizer(list(texts), return_special_tokens_mask=True, truncation=False, verbose=False)
    lengths = np.array([len(ids) for ids in encoding["input_ids"]])
    special = np.concatenate(encoding["special_tokens_mask"]).astype(bool)
    if not (tokens := _counts(lengths, ~special)).all():
        raise InputError(
            f"sentence {texts[int(tokens.argmin())][:LONGEST]!r}: the tokenizer makes no token of it"
        )
    if max_length is not None and (most := lengths.max()) > max_length:
        text = texts[int(lengths.argmax())][:LONGEST]
        raise InputError(f"sentence {text!r}: {most} tokens, and the model takes {max_length}")
    return lengths, np.concatenate(encoding["input_ids"]), special


def _counts(lengths: Ints, which: Bools) -> Ints:
    """How many tokens of each text are among these."""
    return np.bincount(np.repeat(np.arange(len(lengths)), lengths)[which], minlength=len(lengths))


def _runs(
    kind: Sentences,
    names: Sequence[str],
    tokenizer: PreTrainedTokenizerBase,
    max_length: int | None,
    most: int,
) -> list[tuple[list[str], int]]:
    """Runs of names whose sentences have about `most` tokens, and how many these are.

    The sentence of every name with its longest word is tokenised, so that one that is too long is met first.
    """
    words, *_ = _encoded(tokenizer, kind.of(names[:1]), None)
    longest = Sentences([kind.words[int(words.argmax())]], kind.template, kind.released)
    lengths, *_ = _encoded(tokenizer, longest.of(names), max_length)
    tokens = lengths * len(kind.words)
    runs = pd.Series(tokens).groupby(np.cumsum(tokens) // most)
    return [([names[row] for row in run.index], int(run.sum())) for _, run in runs]


def _laid_out(
    tokenizer: PreTrainedTokenizerBase, kind: Sentences, names: Sequence[str], max_length: int | None
) -> Layout:
    lengths, ids, special = _encoded(tokenizer, kind.of(names), max_length)
    starts = np.cumsum(lengths) - lengths
    unknown = _counts(lengths, ids == tokenizer.unk_token_id)
    layout = Layout([], [], [], _counts(lengths, ~special), unknown)
    # of the released code, all sentences of a name are filled up to the longest
    widths = lengths.reshape(len(names), -1).max(axis=1).repeat(len(kind.words)) if kind.released else lengths
    for width in np.unique(widths):
        texts = np.flatnonzero(widths == width)
        real = np.arange(width) < lengths[texts, None]
        at = (starts[texts, None] + np.arange(width))[real]
        block = np.full(real.shape, tokenizer.pad_token_id or 0)
        block[real] = ids[at]
        counted = np.zeros(real.shape, dtype=bool)
        if kind.released:
            counted[:, 1:-1] = True
        else:
            counted[real] = ~special[at]
        layout.blocks.append(Block(block, mask=None if real.all() else real))
        layout.texts.append(texts)
        layout.counted.append(counted)
    return layout


def _rows(kind: Sentences, names: Sequence[str], layout: Layout, answers: Answers) -> pd.DataFrame:
    log_prob = np.empty(len(layout.tokens))
    for texts, counted, log_probs in zip(layout.texts, layout.counted, answers, strict=True):
        log_prob[texts] = (log_probs * counted).sum(axis=1, dtype=np.float64) / counted.sum(axis=1)
    table = pd.DataFrame(
        {
            "name": np.repeat(np.array(names, object), len(kind.words)),
            "word": np.tile(np.array(kind.words, object), len(names)),
            "tokens": layout.tokens,
            "unknown": layout.unknown,
            "log_prob": log_prob,
        }
    )
    if broken := table[~np.isfinite(log_prob)].to_dict("records"):
        name, word = broken[0]["name"], broken[0]["word"]
        what = "alone" if word is None else f"with the word {word!r}"
        raise InputError(f"region {name!r} {what}: the model gives {broken[0]['log_prob']} as a likelihood")
    return table
