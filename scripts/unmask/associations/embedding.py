"""Embeddings of texts by a text encoder: several poolings of the last layer in one pass.

Texts are read in batches of exactly one length, so nothing is padded and no embedding depends on the other
texts of its batch beyond float error. What reads the same is read once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from transformers import AutoModel, PreTrainedModel, PreTrainedTokenizerBase

from unmask.associations.terms import CLS, MEAN, MEAN_CONTENT, OF_WORDS, WORD, WORD_FIRST
from unmask.associations.tokenised import Span, Tokenised, Vectors, check_finite, in_batches, tokenised
from unmask.errors import InputError
from unmask.models.devices import Device, within_memory
from unmask.models.kinds.text_encoder import last_hidden_state
from unmask.models.loading import load
from unmask.models.own_code import is_allowed
from unmask.models.quiet import quiet_transformers
from unmask.models.tokenizer import load_tokenizer

MASKED_LM, TEXT_ENCODER = "masked-lm", "text-encoder"
KINDS = (MASKED_LM, TEXT_ENCODER)
"""Kinds of models that have an encoder of text."""


@dataclass(frozen=True)
class Encoder:
    """network: an encoder of text, on the device, in evaluation mode: its first output, or the last hidden
    state of its own encoder where it has a decoder too, is what is pooled."""

    network: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    device: Device
    max_length: int | None = None

    @property
    def width(self) -> int:
        return int(self.network.config.hidden_size)


def load_encoder(directory: str | Path, kind: str, device: Device, max_length: int | None) -> Encoder:
    """The encoder of a model directory that was checked as one of this kind, in single precision.

    That of a masked language model is the one that scores pairs, with its faster layers. Raises
    InputError for a model that does not fit into the device's memory.
    """
    directory = Path(directory)
    if kind == MASKED_LM:
        model = load(directory, device, with_attention=False)
        network, tokenizer = model.network.base_model, model.tokenizer
        assert isinstance(network, PreTrainedModel)
    else:
        loaded = within_memory(_load, directory, device)
        if loaded is None:
            raise InputError(f"{directory}: this model is too large for the memory of {device}")
        network, tokenizer = loaded
    return Encoder(network, tokenizer, device, max_length)


def _load(directory: Path, device: Device) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    tokenizer = load_tokenizer(directory)
    with quiet_transformers():
        network = AutoModel.from_pretrained(
            directory, local_files_only=True, trust_remote_code=is_allowed(directory), dtype=torch.float32
        )
    return network.eval().to(device.torch), tokenizer


def embed(
    encoder: Encoder, texts: Sequence[str], words: Sequence[Span | None], poolings: Sequence[str]
) -> dict[str, Vectors]:
    """An embedding of every text by each pooling (of unmask.associations.terms.POOLINGS): texts × width.

    cls: the first special token. mean: all tokens. mean-content: those that are not special. word: the
    mean of the word's tokens; word-first: the first of these.

    words: where each text's word is; of word and word-first, a text without one has NaN. MASK in a text is
    the tokenizer's mask token, which counts as a word of the text does.
    Raises InputError for a text without tokens, without special ones (cls), or of more than the model takes,
    for a mask that the tokenizer lacks, for a word that no token is of, and for what is not finite.
    """
    tokens = tokenised(encoder.tokenizer, texts, words, encoder.max_length)
    weights = {
        pooling: [_weight(pooling, each, text) for each, text in zip(tokens, texts, strict=True)]
        for pooling in poolings
    }
    embeddings = _pooled(encoder, [text.ids for text in tokens], weights)
    for pooling in embeddings.keys() & OF_WORDS:
        embeddings[pooling][[word is None for word in words]] = np.nan
    check_finite(embeddings, words, OF_WORDS, [repr(text) for text in texts])
    return embeddings


def _weight(pooling: str, tokens: Tokenised, text: str) -> Vectors:
    """What each token of a text counts in a pooling; all zero where it has no word to pool."""
    special, of_word = np.array(tokens.special), np.array(tokens.of_word)
    if pooling == CLS:
        if not special.any():
            raise InputError(f"{text!r}: the tokenizer adds no special token, so there is no {CLS}")
        chosen = _first(special)
    elif pooling == MEAN:
        chosen = np.ones(len(special), dtype=bool)
    elif pooling == MEAN_CONTENT:
        chosen = ~special
    elif pooling == WORD:
        chosen = of_word
    elif pooling == WORD_FIRST:
        chosen = _first(of_word)
    else:
        raise ValueError(f"unknown pooling {pooling}")
    weight: Vectors = (chosen / max(1, chosen.sum())).astype(np.float32)
    return weight


def _first(chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    first: npt.NDArray[np.bool_] = chosen & (np.cumsum(chosen) == 1)
    return first


def _pooled(
    encoder: Encoder, ids: Sequence[tuple[int, ...]], weights: Mapping[str, Sequence[Vectors]]
) -> dict[str, Vectors]:
    """Weighted sums of the last hidden states: texts × width by pooling.

    The longest texts come first, so that memory runs out early or never.
    """
    pooled = {pooling: np.empty((len(ids), encoder.width), dtype=np.float32) for pooling in weights}
    numbers: dict[tuple[int, ...], list[int]] = {}
    for number, sequence in enumerate(ids):
        numbers.setdefault(sequence, []).append(number)
    order = sorted(numbers, key=lambda sequence: (-len(sequence), sequence))
    for length, alike in groupby(order, key=len):
        for sequence, state in in_batches(partial(_hidden, encoder), list(alike), length, encoder.device):
            for number in numbers[sequence]:
                for pooling, of_texts in weights.items():
                    pooled[pooling][number] = of_texts[number] @ state
    return pooled


@torch.inference_mode()
def _hidden(encoder: Encoder, batch: Sequence[tuple[int, ...]]) -> Vectors:
    """The last hidden states of token ids (batch × length): batch × length × width."""
    hidden = last_hidden_state(encoder.network, torch.tensor(batch).to(encoder.device.torch)).float()
    states: Vectors = hidden.cpu().numpy()
    return states
