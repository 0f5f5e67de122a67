"""How the tokens of a text become one vector: weights of its last hidden states, by the name of a pooling."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unmask.errors import InputError

CLS, MEAN, MEAN_CONTENT, WORD, WORD_FIRST = "cls", "mean", "mean-content", "word", "word-first"
POOLINGS = (CLS, MEAN, MEAN_CONTENT, WORD, WORD_FIRST)
"""The first special token; the mean of all tokens, or of those that are not special; of the word's tokens the
mean, or the first."""

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Tokens:
    """The tokens of a text: which of them are special, and which are of its word (none without a word)."""

    text: str
    ids: tuple[int, ...]
    special: Flags
    of_word: Flags


def weights(tokens: Tokens, pooling: str) -> npt.NDArray[np.float32]:
    """(tokens,): what each token counts; all zero where a pooling of words has no word.

    pooling: of POOLINGS, or `joint`, the first token. Raises InputError for cls of a text without special
    tokens.
    """
    if pooling == CLS and not tokens.special.any():
        raise InputError(f"{tokens.text!r}: the tokenizer adds no special token, so there is no {CLS}")
    chosen = {
        CLS: _first(tokens.special),
        "joint": np.arange(len(tokens.ids)) == 0,
        MEAN: np.ones(len(tokens.ids), dtype=bool),
        MEAN_CONTENT: ~tokens.special,
        WORD: tokens.of_word,
        WORD_FIRST: _first(tokens.of_word),
    }[pooling]
    shares: npt.NDArray[np.float32] = (chosen / max(1, chosen.sum())).astype(np.float32)
    return shares


def _first(chosen: Flags) -> Flags:
    first: Flags = chosen & (np.cumsum(chosen) == 1)
    return first
