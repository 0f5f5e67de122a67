"""Vectors of texts: poolings of an encoder's last hidden states, all of them in one pass."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from transformers import AutoModel, PreTrainedTokenizerBase, VisualBertModel

from unmask.errors import InputError
from unmask.models.devices import Device, Input, read_in_batches
from unmask.models.directory import MASKED_LM
from unmask.models.loading import load, load_network
from unmask.models.tokenizer import load_tokenizer

Vectors = npt.NDArray[np.float32]

Span = tuple[int, int]
"""Where a word stands in its text: its first character, and the one behind its last."""

MASK = "[MASK]"
"""Stands in a text for the mask token of whatever tokenizer reads it."""

CLS, MEAN, MEAN_CONTENT, WORD, WORD_FIRST = "cls", "mean", "mean-content", "word", "word-first"
POOLINGS = (CLS, MEAN, MEAN_CONTENT, WORD, WORD_FIRST)
"""The first special token; the mean of all tokens, or of those that are not special; of the word's tokens the
mean, or the first."""


@dataclass(frozen=True)
class Encoder:
    """network: on the device, in evaluation mode. max_length: tokens that it takes; None for any number."""

    network: Any
    tokenizer: PreTrainedTokenizerBase
    device: Device
    max_length: int | None = None


@dataclass(frozen=True)
class Tokens:
    """The tokens of a text: which of them are special, and which are of its word (none without a word)."""

    text: str
    ids: tuple[int, ...]
    special: npt.NDArray[np.bool_]
    of_word: npt.NDArray[np.bool_]


def load_encoder(directory: str | Path, kind: str, device: Device, max_length: int | None) -> Encoder:
    """The encoder of a directory that was checked as a model of this kind, in single precision.

    That of a masked language model is the one that scores pairs, with its faster layers.
    """
    if kind == MASKED_LM:
        model = load(directory, device, with_attention=False)
        return Encoder(model.network.base_model, model.tokenizer, device, max_length)
    return Encoder(load_network(AutoModel, directory, device), load_tokenizer(directory), device, max_length)


def last_hidden_state(network: Any, ids: Tensor) -> Tensor:
    """What an encoder of text makes of token ids without padding (batch × length): batch × length × width.

    Of a network with a decoder, what its encoder makes of them.
    """
    if network.config.is_encoder_decoder:
        network = network.get_encoder()
    hidden: Tensor = network(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
    return hidden


def embed_with_regions(network: VisualBertModel, ids: Tensor, regions: Tensor) -> Tensor:
    """The last hidden states of each text's tokens: batch × tokens × width; the first token's is the joint
    embedding of VisualBERT (Li et al. 2019).

    ids: batch × tokens; regions: batch × regions × features. Regions follow the text in one sequence, as its
    second segment, and all are attended to.
    """
    seen = torch.ones(regions.shape[:2], dtype=torch.long, device=regions.device)
    hidden: Tensor = network(
        input_ids=ids,
        attention_mask=torch.ones_like(ids),
        token_type_ids=torch.zeros_like(ids),
        visual_embeds=regions,
        visual_attention_mask=seen,
        visual_token_type_ids=seen,
    ).last_hidden_state
    return hidden[:, : ids.shape[1]]


def embed(
    encoder: Encoder, texts: Sequence[str], words: Sequence[Span | None], poolings: Sequence[str]
) -> dict[str, Vectors]:
    """A vector of every text by each of POOLINGS: texts × width.

    words: where each text's word is; a text without one has NaN in poolings of words. Raises InputError as
    `tokenise` and `pool` do.
    """
    tokens = tokenise(encoder.tokenizer, texts, words, encoder.max_length)

    def read(batch: Sequence[tuple[int, ...]]) -> Tensor:
        return last_hidden_state(encoder.network, torch.tensor(batch).to(encoder.device.torch))

    return pool(encoder, tokens, [each.ids for each in tokens], lambda ids: (len(ids),), read, poolings)


def tokenise(
    tokenizer: PreTrainedTokenizerBase,
    texts: Sequence[str],
    words: Sequence[Span | None],
    max_length: int | None,
) -> list[Tokens]:
    """The tokens of every text, whole, with special ones; MASK in a text is the tokenizer's mask token, which
    counts as a word of the text does.

    Raises InputError for a tokenizer that does not say where tokens are, for a text without tokens or of more
    than `max_length`, for a mask that the tokenizer lacks, and for a word that no token is of.
    """
    kind, mask = type(tokenizer).__name__, tokenizer.mask_token
    if not tokenizer.is_fast:
        raise InputError(f"{kind} does not say where tokens are: a fast tokenizer is needed")
    if mask is None and (masked := [text for text in texts if MASK in text]):
        raise InputError(f"{masked[0]!r}: {kind} has no token for {MASK}")
    written = [text.replace(MASK, mask or MASK) for text in texts]
    encoded = tokenizer(written, return_offsets_mapping=True, return_special_tokens_mask=True, verbose=False)
    tokens = []
    for number, (text, word) in enumerate(zip(texts, words, strict=True)):
        ids = tuple(encoded["input_ids"][number])
        special = np.array(encoded["special_tokens_mask"][number], dtype=bool)
        if max_length is not None and len(ids) > max_length:
            raise InputError(f"{text!r}: {len(ids)} tokens, the model takes {max_length}")
        if special.all():
            raise InputError(f"{text!r}: has no token to embed")
        of_word = np.zeros(len(ids), dtype=bool)
        if word is not None:
            start, end = (len(text[:place].replace(MASK, mask or MASK)) for place in word)
            starts, ends = np.array(encoded["offset_mapping"][number]).T
            of_word = ~special & (starts < end) & (ends > start)
            if not of_word.any():
                raise InputError(f"{text!r}: no token is of {text[slice(*word)]!r}")
        tokens.append(Tokens(written[number], ids, special, of_word))
    return tokens


def pool(
    encoder: Encoder,
    tokens: Sequence[Tokens],
    inputs: Sequence[Input],
    shape: Callable[[Input], tuple[int, ...]],
    read: Callable[[Sequence[Input]], Tensor],
    poolings: Sequence[str],
) -> dict[str, Vectors]:
    """Weighted sums of the last hidden states: texts × width by pooling; NaN where a text has no word.

    inputs: what the network reads of each text; shape, read: as of `read_in_batches`, which gives the hidden
    states of the texts' tokens, inputs × tokens × width. Raises InputError where one input is too large by
    itself, and for numbers that are not finite.
    """
    shares = {pooling: [weights(each, pooling) for each in tokens] for pooling in poolings}
    size = len(tokens), encoder.network.config.hidden_size
    vectors = {pooling: np.empty(size, np.float32) for pooling in poolings}
    for numbers, states in read_in_batches(inputs, shape, read, encoder.device):
        if not np.isfinite(states).all():
            text = tokens[numbers[0]].text
            raise InputError(f"embedding: of {text!r} the model gives numbers that are not finite")
        for pooling, number in product(poolings, numbers):
            vectors[pooling][number] = shares[pooling][number] @ states
    return vectors


def weights(tokens: Tokens, pooling: str) -> Vectors:
    """(tokens,): what each token counts; NaN where a pooling of words has no word.

    pooling: of POOLINGS, or `joint`, the first token. Raises InputError for cls of a text without special
    tokens.
    """
    if pooling == CLS and not tokens.special.any():
        raise InputError(f"{tokens.text!r}: the tokenizer adds no special token, so there is no {CLS}")
    every, word = np.arange(len(tokens.ids)), np.flatnonzero(tokens.of_word)
    places = {
        CLS: np.flatnonzero(tokens.special)[:1],
        "joint": every[:1],
        MEAN: every,
        MEAN_CONTENT: np.flatnonzero(~tokens.special),
        WORD: word,
        WORD_FIRST: word[:1],
    }[pooling]
    shares = np.full(len(every), 0 if len(places) else np.nan, np.float32)
    shares[places] = 1 / max(1, len(places))
    return shares
