"""The mask that stands in a text, as the tokenizer that reads it writes its own."""

from transformers import PreTrainedTokenizerBase

from unmask.associations.terms import MASK
from unmask.errors import InputError

Span = tuple[int, int]
"""Where a word stands in its text: its first character, and the one behind its last."""


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
