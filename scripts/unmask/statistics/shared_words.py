"""What pairs may share: modified words or characters, a target, a writer."""

from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher

import pandas as pd

from unmask.statistics.dependence import Dependence
from unmask.statistics.options import CHARACTERS, TARGET, TEMPLATE, WORDS, WRITER
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE
from unmask.words import characters_of, modified, modified_words, words_of

Node = tuple[str, str]
"""What kind of thing it is, and which one."""


def modified_characters(stereotype: str, antistereotype: str) -> tuple[list[str], list[str]]:
    """The `modified` characters of two texts."""
    return modified(characters_of(stereotype), characters_of(antistereotype))


def template(stereotype: str, antistereotype: str) -> str:
    """The words that both sentences share, with a gap for what is between them."""
    one, other = words_of(stereotype), words_of(antistereotype)
    opcodes = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    return " ".join(
        word for tag, start, end, *_ in opcodes for word in (one[start:end] if tag == "equal" else [_GAP])
    )


_GAP = "_"
_MODIFIED = {WORDS: modified_words, CHARACTERS: modified_characters}
"""What both sentences of a pair have in place of each other, by the kind of node."""
_OF_TEXTS = (*_MODIFIED, TEMPLATE)
"""The kinds that every benchmark has."""


def nodes_of(pairs: pd.DataFrame, kinds: Collection[str]) -> Iterator[list[Node]]:
    """The nodes of each pair of a Pairs table, of the kinds that unmask.statistics.options names.

    `words`, `characters`: those of both sentences that are modified, whichever stands where. `template`: the
    words that both share. A pair without a target or writer has no such node.
    """
    columns = [pairs[name] for name in (STEREOTYPE, ANTISTEREOTYPE, TARGET, WRITER)]
    for stereotype, antistereotype, target, writer in zip(*columns, strict=True):
        nodes: list[Node] = []
        for kind, modified_parts in _MODIFIED.items():
            if kind in kinds:
                one, other = modified_parts(stereotype, antistereotype)
                nodes.extend((kind, part) for part in dict.fromkeys((*one, *other)))
        if TEMPLATE in kinds:
            nodes.append((TEMPLATE, template(stereotype, antistereotype)))
        for kind, value in ((TARGET, target), (WRITER, writer)):
            if kind in kinds and not pd.isna(value):
                nodes.append((kind, value))
        yield nodes


def dependence_of(pairs: pd.DataFrame, kinds: Sequence[str]) -> Dependence:
    """Which pairs of a Pairs table share a node of these kinds."""
    return Dependence.of(nodes_of(pairs, kinds))


def kinds_in(pairs: pd.DataFrame, kinds: Sequence[str]) -> list[str]:
    """Those of `kinds` that the benchmark states; every benchmark has those of its texts."""
    return [kind for kind in kinds if kind in _OF_TEXTS or pairs[kind].notna().any()]
