"""What pairs may have in common: their modified words, their target, their writer."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher

import pandas as pd

from unmask.statistics.dependence import Dependence
from unmask.statistics.options import TARGET, WORDS, WRITER
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE

Node = tuple[str, str]
"""What kind of thing it is, and which one."""

_WORD = re.compile(r"\w+(?:['’]\w+)*")


def words(text: str) -> list[str]:
    """The words of a text, in lower case; a word may have an apostrophe inside."""
    text = text.casefold()
    if not text.isascii():
        # a mark belongs to its letter, which has one where it can
        composed = unicodedata.normalize("NFC", text)
        text = "".join("_" if unicodedata.category(sign)[0] == "M" else sign for sign in composed)
    return _WORD.findall(text)


def modified_words(stereotype: str, antistereotype: str) -> tuple[list[str], list[str]]:
    """The words of either sentence outside the longest matching blocks that the two share (difflib's)."""
    sides = words(stereotype), words(antistereotype)
    kept: tuple[list[str], list[str]] = [], []
    for tag, start, end, other_start, other_end in SequenceMatcher(
        None, *sides, autojunk=False
    ).get_opcodes():
        if tag != "equal":
            kept[0].extend(sides[0][start:end])
            kept[1].extend(sides[1][other_start:other_end])
    return kept


def nodes_of(pairs: pd.DataFrame, kinds: Collection[str]) -> Iterator[list[Node]]:
    """The nodes of each pair of a Pairs table, of the kinds `words`, `target` and `writer`.

    `words`: the modified words of both sentences, whichever stands where. A pair without a target or writer
    has no such node.
    """
    columns = [pairs[name] for name in (STEREOTYPE, ANTISTEREOTYPE, TARGET, WRITER)]
    for stereotype, antistereotype, target, writer in zip(*columns, strict=True):
        own: list[Node] = []
        if WORDS in kinds:
            one, other = modified_words(stereotype, antistereotype)
            own.extend((WORDS, word) for word in dict.fromkeys((*one, *other)))
        for kind, value in ((TARGET, target), (WRITER, writer)):
            if kind in kinds and not pd.isna(value):
                own.append((kind, value))
        yield own


def dependence_of(pairs: pd.DataFrame, kinds: Sequence[str]) -> Dependence:
    """Which pairs of a Pairs table share a node of these kinds."""
    return Dependence.of(nodes_of(pairs, kinds))


def kinds_in(pairs: pd.DataFrame, kinds: Sequence[str]) -> list[str]:
    """Those of `kinds` that the benchmark states; every benchmark has words."""
    return [kind for kind in kinds if kind == WORDS or pairs[kind].notna().any()]
