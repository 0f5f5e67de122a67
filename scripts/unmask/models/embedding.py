"""Vectors of texts: poolings of an encoder's last hidden states, all of them in one pass."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from transformers import AutoModel, PreTrainedTokenizerBase, VisualBertModel

from unmask.errors import InputError
from unmask.models.detecting import MASKED_LM
from unmask.models.devices import Device, Input, read_in_batches
from unmask.models.loading import load, load_network
from unmask.models.poolings import Tokens, weights
from unmask.models.tokenizer import load_tokenizer

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

    That of a masked language model is the one that scores pairs, with its faster layers.
    Raises InputError for a model that does not fit into the device's memory.
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
    """A vector of every text by each of POOLINGS (unmask.models.poolings): texts × width.

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
    read: Callable[[Sequence[Input]], Tensor],
    poolings: Sequence[str],
) -> dict[str, Vectors]:
    """Weighted sums of the last hidden states: texts × width by pooling; NaN where a text has no word.

    inputs: what the network reads of each text; shape, read: as of `read_in_batches`, which gives the hidden
    states of the texts' tokens, inputs × tokens × width. Raises InputError where one input is too large by
    itself, and for numbers that are not finite.
    """
    shares = {pooling: [weights(each, pooling) for each in tokens] for pooling in poolings}
    vectors = {pooling: np.full((len(tokens), encoder.width), np.nan, np.float32) for pooling in poolings}
    for numbers, states in read_in_batches(inputs, shape, read, encoder.device):
        for pooling in poolings:
            for number in numbers:
                if not (of_tokens := shares[pooling][number]).any():
                    continue
                vectors[pooling][number] = of_tokens @ states
                if not np.isfinite(vectors[pooling][number]).all():
                    raise InputError(
                        f"embedding ({pooling}): of {tokens[number].text!r} the model "
                        "gives numbers that are not finite"
                    )
    return vectors
