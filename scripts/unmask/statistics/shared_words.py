"""What pairs may share: modified words or characters, a target, a writer; and other readings of a word."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import SequenceMatcher

import pandas as pd

from unmask.statistics.dependence import Dependence
from unmask.statistics.options import CHARACTERS, TARGET, TEMPLATE, WORDS, WRITER
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE
from unmask.unsegmented import CHARACTER, MARKS, UNSEGMENTED

Node = tuple[str, str]
"""What kind of thing it is, and which one."""

_TOGETHER = (
    ("i", "me", "my", "mine", "myself"),
    ("you", "your", "yours", "yourself", "yourselves"),
    ("he", "him", "his", "himself"),
    ("she", "her", "hers", "herself"),
    ("it", "its", "itself"),
    ("we", "us", "our", "ours", "ourselves"),
    ("they", "them", "their", "theirs", "themselves"),
    ("man", "men"),
    ("woman", "women"),
    ("child", "children"),
    ("person", "people"),
    ("wife", "wives"),
)
"""Forms of one word that no ending tells: pronouns, and the commonest irregular plurals."""

_BASE: Mapping[str, str] = {form: forms[0] for forms in _TOGETHER for form in forms}

_LEAST = 4
"""Letters of a word that may lose its s: `gas` and `yes` are no plurals."""

_ASCII_WORD = re.compile(r"\w+(?:['’]\w+)*")
# a mark belongs to its letter
_RUN = rf"[^\W{UNSEGMENTED}](?:[{MARKS}]|[^\W{UNSEGMENTED}])*"
_WORD = re.compile(rf"{CHARACTER}|{_RUN}(?:['’]{_RUN})*")
_LETTER = re.compile(rf"[^\W_][{MARKS}]*")


def words(text: str) -> list[str]:
    """The words of a text, in lower case; a word may have an apostrophe inside.

    Where a script has no spaces between words, each of its characters is a word (unmask.unsegmented).
    """
    text = text.casefold()
    if text.isascii():
        return _ASCII_WORD.findall(text)
    return _WORD.findall(unicodedata.normalize("NFC", text))


def characters(text: str) -> list[str]:
    """The letters and digits of a text, in lower case, each with the marks on it."""
    return _LETTER.findall(unicodedata.normalize("NFC", text.casefold()))


def modified_words(stereotype: str, antistereotype: str) -> tuple[list[str], list[str]]:
    """The words of either sentence outside the longest matching blocks that the two share (difflib's)."""
    return _modified(words(stereotype), words(antistereotype))


def modified_characters(stereotype: str, antistereotype: str) -> tuple[list[str], list[str]]:
    """The same of `characters`."""
    return _modified(characters(stereotype), characters(antistereotype))


def _modified(one: list[str], other: list[str]) -> tuple[list[str], list[str]]:
    modified: tuple[list[str], list[str]] = [], []
    for tag, start, end, other_start, other_end in SequenceMatcher(
        None, one, other, autojunk=False
    ).get_opcodes():
        if tag != "equal":
            modified[0].extend(one[start:end])
            modified[1].extend(other[other_start:other_end])
    return modified


def template(stereotype: str, antistereotype: str) -> str:
    """The words that both sentences share, with a gap for what is between them."""
    one, other = words(stereotype), words(antistereotype)
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
        for kind, modified in _MODIFIED.items():
            if kind in kinds:
                one, other = modified(stereotype, antistereotype)
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


def base_form(word: str) -> str:
    """A word in lower case without what makes it a possessive or an English plural: `guys`, `guy's` and `guy`
    are alike, and so are `he` and `his`.

    It is a rough one: it joins words that English spelling makes look like forms of each other.
    """
    word = word.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").removesuffix("'s")
    if word in _BASE:
        return _BASE[word]
    if len(word) < _LEAST or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1]


def other_readings(pairs: pd.DataFrame, kinds: Sequence[str]) -> list[Dependence]:
    """Which pairs vary together under other readings than that of the study, whose `kinds` are in Options.

    The first, if words are among `kinds`: forms of one word are one. The second, if the benchmark states
    writers and these are not among `kinds`: pairs of one writer vary together too.
    """
    readings = []
    if WORDS in kinds:
        readings.append(Dependence.of(_joined(nodes_of(pairs, kinds))))
    if WRITER not in kinds and pairs[WRITER].notna().any():
        readings.append(Dependence.of(nodes_of(pairs, [*kinds, WRITER])))
    return readings


def _joined(nodes: Iterator[list[Node]]) -> Iterator[list[Node]]:
    for of_pair in nodes:
        yield [(kind, base_form(name) if kind == WORDS else name) for kind, name in of_pair]
