"""Pairs of words that differ in gender: what debiasing swaps, and what data is searched for."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from unmask.errors import InputError
from unmask.user_files import faults_of, read_yaml


@dataclass(frozen=True)
class WordPairs:
    """Pairs of a feminine and a masculine word, in the order of their list; a word may be in several."""

    pairs: tuple[tuple[str, str], ...]

    @property
    def feminine(self) -> frozenset[str]:
        return frozenset(feminine for feminine, _ in self.pairs)

    @property
    def masculine(self) -> frozenset[str]:
        return frozenset(masculine for _, masculine in self.pairs)


def read_word_pairs(path: str | Path) -> WordPairs:
    """Pairs from a CSV file with the columns feminine and masculine, or the YAML file of the published list.

    Raises InputError naming the file, and the row of what is no pair: a word that is missing, has a space or
    capitals, is its own partner, or is there as both; or where there is none.
    """
    path = Path(path)
    rows = list(_published(path) if path.suffix == ".yaml" else _rows(path))
    sides: dict[str, int] = {}
    for place, pair in rows:
        for side, word in enumerate(pair):
            if not word or word != word.strip().lower() or len(word.split()) != 1:
                raise InputError(f"{path}: {place}: {word!r} is not one word in lower case")
            if sides.setdefault(word, side) != side:
                raise InputError(f"{path}: {place}: {word!r} is there as feminine and as masculine")
    if not rows:
        raise InputError(f"{path}: holds no pair of words")
    return WordPairs(tuple(pair for _, pair in rows))


def _published(path: Path) -> Iterator[tuple[str, tuple[str, str]]]:
    for number, pair in enumerate(read_yaml(path)["pairs"], start=1):
        yield f"pair {number}", (pair[0], pair[1])


def _rows(path: Path) -> Iterator[tuple[str, tuple[str, str]]]:
    with faults_of(path, "not readable as CSV"), path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        names = reader.fieldnames or []
        if missing := [name for name in ("feminine", "masculine") if name not in names]:
            raise InputError(f"{path}: has no column {missing[0]} (its columns: {', '.join(names)})")
        for row in reader:
            yield f"row {reader.line_num}", (row["feminine"] or "", row["masculine"] or "")
