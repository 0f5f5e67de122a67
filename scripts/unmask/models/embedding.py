"""Vectors of texts: poolings of an encoder's last hidden states, all of them in one pass.

What is read in one batch has one length, so nothing is padded and no vector depends on the other texts beyond
float error. What reads the same is read once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from transformers import AutoModel, PreTrainedModel, PreTrainedTokenizerBase

from unmask.errors import InputError
from unmask.models.devices import Device, within_memory
from unmask.models.encoders import last_hidden_state
from unmask.models.loading import load
from unmask.models.own_code import is_allowed
from unmask.models.poolings import Tokens, weights
from unmask.models.quiet import quiet_transformers
from unmask.models.tokenizer import load_tokenizer

Input = TypeVar("Input", bound=tuple[Any, ...])
Vectors = npt.NDArray[np.float32]

Span = tuple[int, int]
"""Where a word stands in its text: its first character, and the one behind its last."""

MASK = "[MASK]"
"""Stands in a text for the mask token of whatever tokenizer reads it."""


@dataclass(frozen=True)
class Encoder:
    """network: on the device, in evaluation mode. max_length: tokens that it takes; None for any number."""

    network: Any
    tokenizer: PreTrainedTokenizerBase
    device: Device
    max_length: int | None = None

    @property
    def width(self) -> int:
        """Numbers of a vector."""
        return int(self.network.config.hidden_size)


def load_encoder(directory: str | Path, kind: str, device: Device, max_length: int | None) -> Encoder:
    """The encoder of a directory that was checked as a model of this kind, in single precision.

    That of a masked language model (kind masked-lm) is the one that scores pairs, with its faster layers.
    Raises InputError for a model that does not fit into the device's memory.
    """
    directory = Path(directory)
    if kind == "masked-lm":
        model = load(directory, device, with_attention=False)
        return Encoder(model.network.base_model, model.tokenizer, device, max_length)
    return Encoder(load_network(AutoModel, directory, device), load_tokenizer(directory), device, max_length)


def load_network(class_: Any, directory: Path, device: Device) -> PreTrainedModel:
    """A network of a class of transformers, on the device.

    Raises InputError where the device's memory is too small.
    """

    def load_it() -> PreTrainedModel:
        if device.torch.type == "cuda":
            # single precision means single precision
            torch.backends.cuda.matmul.fp32_precision = "ieee"
        with quiet_transformers():
            network: Any = class_.from_pretrained(
                directory,
                local_files_only=True,
                trust_remote_code=is_allowed(directory),
                dtype=torch.float32,
            )
        loaded: PreTrainedModel = network.eval().to(device.torch)
        return loaded

    network = within_memory(load_it)
    if network is None:
        raise InputError(f"{directory}: this model is too large for the memory of {device}")
    return network


def embed(
    encoder: Encoder, texts: Sequence[str], words: Sequence[Span | None], poolings: Sequence[str]
) -> dict[str, Vectors]:
    """A vector of every text by each of POOLINGS (unmask.models.poolings): texts × width.

    words: where each text's word is; a text without one has NaN in poolings of words. Raises InputError as
    `tokenise` and `pool` do.
    """
    tokens = tokenise(encoder.tokenizer, texts, words, encoder.max_length)

    def read(batch: Sequence[tuple[int, ...]]) -> torch.Tensor:
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
    if not tokenizer.is_fast:
        raise InputError(
            f"{type(tokenizer).__name__} does not say where tokens are: a fast tokenizer is needed"
        )
    masked = [_with_masks(tokenizer, text, word) for text, word in zip(texts, words, strict=True)]
    encoded = tokenizer(
        [text for text, _ in masked],
        return_offsets_mapping=True,
        return_special_tokens_mask=True,
        truncation=False,
        verbose=False,
    )
    tokens = []
    for number, (text, word) in enumerate(masked):
        ids = tuple(encoded["input_ids"][number])
        special = np.array(encoded["special_tokens_mask"][number], dtype=bool)
        if max_length is not None and len(ids) > max_length:
            raise InputError(f"{text!r}: {len(ids)} tokens, the model takes {max_length}")
        if special.all():
            raise InputError(f"{text!r}: has no token to embed")
        of_word = np.zeros(len(ids), dtype=bool)
        if word is not None:
            starts, ends = np.array(encoded["offset_mapping"][number]).T
            of_word = ~special & (starts < word[1]) & (ends > word[0])
            if not of_word.any():
                raise InputError(f"{text!r}: no token is of {text[slice(*word)]!r}")
        tokens.append(Tokens(text, ids, special, of_word))
    return tokens


def _with_masks(tokenizer: PreTrainedTokenizerBase, text: str, word: Span | None) -> tuple[str, Span | None]:
    """A text with the tokenizer's mask token wherever MASK stands, and where its word is then."""
    if MASK not in text:
        return text, word
    token = tokenizer.mask_token
    if token is None:
        raise InputError(f"{text!r}: {type(tokenizer).__name__} has no token for {MASK}")
    if word is not None:
        start, end = (len(text[:place].replace(MASK, token)) for place in word)
        word = start, end
    return text.replace(MASK, token), word


def pool(
    encoder: Encoder,
    tokens: Sequence[Tokens],
    inputs: Sequence[Input],
    shape: Callable[[Input], tuple[int, ...]],
    read: Callable[[Sequence[Input]], torch.Tensor],
    poolings: Sequence[str],
) -> dict[str, Vectors]:
    """Weighted sums of the last hidden states: texts × width by pooling; NaN where a text has no word.

    inputs: what the network reads of each text. shape: that of an input, first how many tokens it is; those
    of one shape are read together. read: from inputs to the hidden states of the texts' tokens, inputs ×
    tokens × width.

    Batches are halved where memory runs out; the largest come first, so that it does early or never. Raises
    InputError where one input is too large by itself, and for numbers that are not finite.
    """
    of_texts = {pooling: [weights(each, pooling) for each in tokens] for pooling in poolings}
    vectors = {pooling: np.full((len(tokens), encoder.width), np.nan, np.float32) for pooling in poolings}
    texts: dict[Input, list[int]] = {}
    for number, each in enumerate(inputs):
        texts.setdefault(each, []).append(number)
    in_order = sorted(texts, key=lambda each: ([-size for size in shape(each)], each))
    for (length, *_), alike in groupby(in_order, key=shape):
        waiting = list(alike)
        while waiting:
            batch = waiting[: max(1, encoder.device.batch_tokens // length)]
            hidden = within_memory(_hidden, read, batch)
            if hidden is None:
                encoder.device.take_half(len(batch), length)
                continue
            for each, states in zip(batch, hidden, strict=True):
                for number in texts[each]:
                    for pooling in poolings:
                        if (shares := of_texts[pooling][number]).any():
                            vectors[pooling][number] = shares @ states
            del waiting[: len(batch)]
    for pooling, of_pooling in vectors.items():
        for each_text, shares, vector in zip(tokens, of_texts[pooling], of_pooling, strict=True):
            if shares.any() and not np.isfinite(vector).all():
                raise InputError(
                    f"embedding ({pooling}): of {each_text.text!r} the model "
                    "gives numbers that are not finite"
                )
    return vectors


@torch.inference_mode()
def _hidden(read: Callable[[Sequence[Input]], torch.Tensor], batch: Sequence[Input]) -> Vectors:
    states: Vectors = read(batch).float().cpu().numpy()
    return states
