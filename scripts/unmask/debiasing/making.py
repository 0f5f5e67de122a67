"""What every method of debiasing is given, and what it leaves."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unmask.gendered_words import WordPairs


@dataclass(frozen=True)
class Base:
    """The model that is debiased: a masked language model whose files have been checked."""

    directory: Path
    max_length: int | None
    """Tokens that it takes, special ones included; None for any number."""


@dataclass(frozen=True)
class Texts:
    """What a model is debiased with."""

    lines: Path
    """The corpus: UTF-8, a line is a document; for cda the swapped one."""
    held_out: int
    """So many lines of the corpus, from its first, are for choosing a model; training has the others."""
    neutral: Path | None
    """More sentences for `at`, of stereotyped words and without gendered ones; None where the corpus
    has enough."""
    words: WordPairs
    stereotypes: tuple[str, ...]
    """Words that should not tell of a gender, for `at`."""


Entry = Mapping[str, Any]
"""A debiased model's entry in the study, completed: method, reading, seed, training, options."""
