"""Pairs of words that differ in gender: what debiasing swaps, and what data is searched for."""

from functools import partial
from pathlib import Path

from unmask.user_files import text_of
from unmask.user_tables import Column, Table
from unmask.words import is_unsegmented

WordPairs = tuple[tuple[str, str], ...]
"""Pairs of a feminine and a masculine word, in the order of their list; a word may be in several."""


def fault_of_word(word: str) -> str | None:
    """Why a text is not one word in lower case, if so."""
    if word != word.strip().lower() or len(word.split()) != 1:
        return f"{word!r} is not one word in lower case"
    if is_unsegmented(word):
        return f"{word!r} is of a script without spaces between words: where words end is not known"
    return None


_WORD = partial(text_of, fault_in=fault_of_word)
_TABLE = Table(Column(side, _WORD, required=True) for side in ("feminine", "masculine"))


def read_word_pairs(path: str | Path) -> WordPairs:
    """Pairs from a CSV file with the columns feminine and masculine.

    Raises InputError naming the file, and the row of what is no pair: a word that is missing, has a space or
    capitals, is its own partner, or is there as both; or where there is none.
    """
    pairs: list[tuple[str, str]] = []
    side_of: dict[str, str] = {}
    for row in _TABLE.rows(path):
        for side, word in row.items():
            if side_of.setdefault(word, side) != side:
                raise row.fault(side, f"{word!r} is there as feminine and as masculine")
        pairs.append((row["feminine"], row["masculine"]))
    return tuple(pairs)
