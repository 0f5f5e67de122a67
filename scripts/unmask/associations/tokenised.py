"""Tokens of texts, which of them are special and which of a word, and how encoders read them in batches."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from transformers import PreTrainedTokenizerBase

from unmask.associations.terms import MASK
from unmask.errors import InputError
from unmask.models.devices import Device, within_memory

T = TypeVar("T")
Vectors = npt.NDArray[np.float32]

Span = tuple[int, int]
"""Where a word stands in its text: its first character, and the one behind its last."""


@dataclass(frozen=True)
class Tokenised:
    """Tokens of a text, which of them are special, and which are of its word (none where it has no word)."""

    ids: tuple[int, ...]
    special: tuple[bool, ...]
    of_word: tuple[bool, ...]


def tokenised(
    tokenizer: PreTrainedTokenizerBase,
    texts: Sequence[str],
    words: Sequence[Span | None],
    max_length: int | None,
) -> list[Tokenised]:
    """The tokens of every text, whole, with special ones.

    words: where each text's word is. max_length: how many tokens the model takes, special ones included. MASK
    in a text is the tokenizer's mask token, which counts as a word of the text does.
    Raises InputError for a tokenizer that does not say where tokens are, for a text without tokens or of more
    than the model takes, for a mask that the tokenizer lacks, and for a word that no token is of.
    """
    if not tokenizer.is_fast:
        raise InputError(
            f"{type(tokenizer).__name__} does not say where tokens are: a fast tokenizer is needed"
        )
    masked = [with_masks(tokenizer, text, word) for text, word in zip(texts, words, strict=True)]
    encoded = tokenizer(
        [text for text, _ in masked],
        return_offsets_mapping=True,
        return_special_tokens_mask=True,
        truncation=False,
        verbose=False,
    )
    results = []
    for number, (text, word) in enumerate(masked):
        ids, special = encoded["input_ids"][number], encoded["special_tokens_mask"][number]
        offsets = encoded["offset_mapping"][number]
        if max_length is not None and len(ids) > max_length:
            raise InputError(f"{text!r}: {len(ids)} tokens, the model takes {max_length}")
        if all(special):
            raise InputError(f"{text!r}: has no token to embed")
        of_word = [
            word is not None and not is_special and first < word[1] and last > word[0]
            for is_special, (first, last) in zip(special, offsets, strict=True)
        ]
        if word is not None and not any(of_word):
            raise InputError(f"{text!r}: no token is of {text[slice(*word)]!r}")
        results.append(Tokenised(tuple(ids), tuple(map(bool, special)), tuple(of_word)))
    return results


def with_masks(tokenizer: PreTrainedTokenizerBase, text: str, word: Span | None) -> tuple[str, Span | None]:
    """A text with the tokenizer's mask token wherever MASK stands, and where its word is then.

    Raises InputError naming the text where it has a mask and the tokenizer has none.
    """
    if MASK not in text:
        return text, word
    token = tokenizer.mask_token
    if token is None:
        raise InputError(f"{text!r}: {type(tokenizer).__name__} has no token for {MASK}")
    if word is not None:
        start, end = (len(text[:place].replace(MASK, token)) for place in word)
        word = start, end
    return text.replace(MASK, token), word


def in_batches(
    read: Callable[[Sequence[T]], Vectors], inputs: Sequence[T], length: int, device: Device
) -> Iterator[tuple[T, Vectors]]:
    """Each input, of `length` tokens, with what `read` makes of it in a batch.

    Batches are halved where memory runs out. Raises InputError where one input is too large by itself.
    """
    done = 0
    while done < len(inputs):
        batch = inputs[done : done + max(1, device.batch_tokens // length)]
        vectors = within_memory(read, batch)
        if vectors is None:
            device.take_half(len(batch), length)
            continue
        yield from zip(batch, vectors, strict=True)
        done += len(batch)


def check_finite(
    embeddings: Mapping[str, Vectors],
    words: Sequence[Span | None],
    of_words: Collection[str],
    names: Sequence[str],
) -> None:
    """Raise InputError naming the pooling and the text that has a vector with numbers that are not finite.

    embeddings: texts × width by pooling; in the poolings `of_words` a text without a word has none.
    """
    has_word = np.array([word is not None for word in words], dtype=bool)
    for pooling, vectors in embeddings.items():
        broken = ~np.isfinite(vectors).all(axis=1) & (has_word | (pooling not in of_words))
        if broken.any():
            name = names[int(np.flatnonzero(broken)[0])]
            raise InputError(f"embedding ({pooling}): of {name} the model gives numbers that are not finite")
