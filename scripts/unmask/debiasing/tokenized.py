"""Sentences as a model has them: their tokens, where words stand in them, and hidden states of layers."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import torch
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from unmask.debiasing.attributes import Sentence
from unmask.debiasing.inputs import Base
from unmask.debiasing.model_files import load_base
from unmask.errors import InputError
from unmask.models.tokenizer import load_tokenizer

T = TypeVar("T")

AT_ONCE = 4096
"""Sentences that are tokenized at a time."""


class Tokenized(NamedTuple):
    """A sentence in tokens."""

    ids: tuple[int, ...]
    mentions: tuple[tuple[str, tuple[int, ...]], ...]
    """Each word that counts, and the places of its tokens, special ones counted."""


def load(base: Base, method: str) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """The masked language model, in single precision and evaluation mode, and its tokenizer.

    Raises InputError for an encoder-decoder, and for a tokenizer that does not say where tokens stand.
    """
    tokenizer = load_tokenizer(base.directory)
    model = load_base(base)
    if model.config.is_encoder_decoder:
        raise InputError(f"{method} is not defined for models with an encoder and a decoder")
    if not tokenizer.is_fast:
        raise InputError(f"{method} needs a fast tokenizer, which says where in a text its tokens stand")
    model.eval()  # type: ignore[no-untyped-call]
    return model, tokenizer


def longest_of(base: Base, max_length: int) -> int:
    """Tokens that a sentence may have, special ones included."""
    return max_length if base.max_length is None else min(max_length, base.max_length)


def tokenize_sentences(
    sentences: Sequence[Sentence], tokenizer: PreTrainedTokenizerBase, longest: int
) -> list[Tokenized]:
    """The sentences in tokens, but for those that have more than `longest`.

    A token is a word's where they have a character in common.
    """
    tokenized = []
    for start in range(0, len(sentences), AT_ONCE):
        batch = sentences[start : start + AT_ONCE]
        tokens = tokenizer([s.text for s in batch], return_offsets_mapping=True, verbose=False)
        for sentence, ids, offsets in zip(batch, tokens["input_ids"], tokens["offset_mapping"], strict=True):
            if len(ids) <= longest:
                mentions = (
                    (
                        mention.word,
                        tuple(
                            place
                            for place, (first, last) in enumerate(offsets)
                            if first < mention.end and last > mention.start and first < last
                        ),
                    )
                    for mention in sentence.mentions
                )
                # what the tokenizer drops, as some signs, has no tokens
                with_tokens = tuple((word, places) for word, places in mentions if places)
                if with_tokens or not sentence.mentions:
                    tokenized.append(Tokenized(tuple(ids), with_tokens))
    return tokenized


def pad(rows: Sequence[Sequence[int]], padding: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Token ids (rows × length) and the mask of those that are there, both of integers."""
    ids = np.full((len(rows), max(map(len, rows))), padding, dtype=np.int64)
    mask = np.zeros_like(ids)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return torch.from_numpy(ids).to(device), torch.from_numpy(mask).to(device)


def layers_of(model: PreTrainedModel, ids: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
    """The hidden states (rows × length × width) of every layer, that of the embeddings first."""
    output = model.base_model(input_ids=ids, attention_mask=mask, output_hidden_states=True)
    states: tuple[Tensor, ...] = output.hidden_states
    return states


def by_length(rows: Sequence[Sequence[int]], tokens: int) -> Iterator[list[int]]:
    """The numbers of all rows in batches of about as many `tokens`, those of like length together."""
    batch: list[int] = []
    for number in sorted(range(len(rows)), key=lambda number: len(rows[number])):
        # the next one is the longest
        if batch and (len(batch) + 1) * len(rows[number]) > tokens:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def chunks(items: Sequence[T], size: int) -> Iterable[Sequence[T]]:
    """`items` in pieces of `size`, the last being what is left."""
    return (items[start : start + size] for start in range(0, len(items), size))
