"""What methods of debiasing take: a model, a corpus as one text file, and words."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from unmask.corpora.reading import read_blocks
from unmask.errors import InputError
from unmask.files import written_whole
from unmask.gendered_words import WordPairs
from unmask.user_files import read_config

logger = logging.getLogger(__name__)
Thing = TypeVar("Thing")


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
    """How many lines, from the first, choose and watch models; training reads the others."""
    neutral: Path | None
    """More sentences for `at`, of stereotyped words and without gendered ones; None where the corpus
    has enough."""
    words: WordPairs
    stereotypes: tuple[str, ...]
    """Words that should tell of no gender, for `at`."""


Entry = Mapping[str, Any]
"""A debiased model's entry in the study, completed: method, protocol, seed, training, options."""


def read_corpus(files: Sequence[str | Path], entry: Mapping[str, Any], path: str | Path) -> dict[str, Any]:
    """Write the documents of `files`, in their order, to `path`: UTF-8, a line each, whole or not at all.

    entry: the corpus's in the study, with its format. What ends a line inside a document, such as U+2028,
    becomes a space, and documents without text are left out. Returns lines (how many). Raises InputError
    naming a file that its format refuses, and where there is no text at all.
    """
    lines = 0
    with written_whole(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as out:
        for file in files:
            for line in documents(file, entry):
                out.write(line + "\n")
                lines += 1
        logger.info("%d files: %d documents", len(files), lines)
        if not lines:
            raise InputError(f"{', '.join(map(str, files)) or 'corpus'}: holds no text")
    return {"lines": lines}


def documents(path: str | Path, entry: Mapping[str, Any]) -> Iterator[str]:
    """The documents of a file of a corpus, in one line each, blank ones left out."""
    rest = ""
    for block in read_blocks(path, entry):
        # a document longer than a block comes in several; the last block ends with a line break
        *ended, rest = (rest + block.decode()).split("\n")
        # readers differ in which signs end a line; in none of them does a space
        yield from filter(None, (" ".join(document.splitlines()).strip() for document in ended))


def lines_of(path: str | Path) -> Iterator[str]:
    """The lines of a corpus that `read_corpus` has written, or that was swapped."""
    with open(path, encoding="utf-8", newline="\n") as text:
        for line in text:
            yield line.rstrip("\n")


def in_batches(things: Iterable[Thing], size: int) -> Iterator[list[Thing]]:
    """So many things at a time, the last being what is left."""
    left = iter(things)
    while batch := list(islice(left, size)):
        yield batch


def read_words(path: str | Path) -> tuple[str, ...]:
    """The words of the YAML file of the published list (key `words`), or of a text file with one a line, such
    as a world's; each once."""
    path = Path(path)
    words = read_config(path)["words"] if path.suffix == ".yaml" else path.read_text("utf-8").split()
    return tuple(dict.fromkeys(words))
