"""Tokens as people read them, whichever way a tokenizer writes where words begin."""

from collections.abc import Iterable

from tokenizers.decoders import ByteLevel

CONTINUES, WORD_PIECE, BYTES = "##", "\N{LOWER ONE EIGHTH BLOCK}", "\N{LATIN CAPITAL LETTER G WITH DOT ABOVE}"
"""What tokens begin with: those that go on with a word (BERT), or those that begin one (SentencePiece, and
byte-level tokenizers, which write a byte that is no letter as another letter)."""

SPACE = "\N{OPEN BOX}"
"""What stands for a token that is nothing but a space."""

Surface = tuple[str, bool]
"""The text of a token, and whether it goes on with the word before it."""


def surfaces(tokens: Iterable[str]) -> dict[str, Surface]:
    """The surface of every token of a tokenizer that occurs; which tokenizer it is, its marks tell.

    A token without a mark is a word of its own where no token has one.
    """
    distinct = list(dict.fromkeys(tokens))
    counts = {
        mark: sum(token.startswith(mark) for token in distinct) for mark in (CONTINUES, WORD_PIECE, BYTES)
    }
    mark = max(counts, key=lambda each: counts[each])
    if not counts[mark]:
        return {token: (token, False) for token in distinct}
    return {token: _surface(token, mark) for token in distinct}


def _surface(token: str, mark: str) -> Surface:
    marked = token.startswith(mark) and token != CONTINUES
    text = token.removeprefix(mark) if marked else token
    if mark == BYTES:
        # text with other letters stays as it is
        text = ByteLevel().decode([text])
    return text or SPACE, marked == (mark == CONTINUES)
