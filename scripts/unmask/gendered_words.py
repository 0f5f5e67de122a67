"""Pairs of words that differ in gender: what debiasing swaps, and what data is searched for."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from unmask.user_files import parse_yaml, read_document, text_of
from unmask.user_tables import Column, Row, Table
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


SIDES = ("feminine", "masculine")
_TABLE = Table(Column(side, partial(text_of, fault_in=fault_of_word), required=True) for side in SIDES)


def read_word_pairs(path: str | Path) -> WordPairs:
    """Pairs from a CSV file with the columns feminine and masculine, or the YAML file of the published list.

    Raises InputError naming the file, and the row of what is no pair: a word that is missing, has a space or
    capitals, is its own partner, or is there as both; or where there is none.
    """
    path = Path(path)
    rows = list(_published(path) if path.suffix == ".yaml" else _TABLE.rows(path))
    side_of: dict[str, str] = {}
    for row in rows:
        for side, word in row.items():
            if side_of.setdefault(word, side) != side:
                raise row.fault(side, f"{word!r} is there as feminine and as masculine")
    return tuple((row["feminine"], row["masculine"]) for row in rows)


def _published(path: Path) -> Iterator[Row]:
    for number, pair in enumerate(read_document(path, parse_yaml)["pairs"].parts(), start=1):
        yield _TABLE.check(path, f"pair {number}", dict(zip(SIDES, pair.texts(), strict=False)))
