"""What pairs may have in common: modified words, a target, a writer; and other readings of what a word is."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import SequenceMatcher

import pandas as pd

from unmask.statistics.dependence import Dependence
from unmask.statistics.options import TARGET, WORDS, WRITER
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE

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
    modified: tuple[list[str], list[str]] = [], []
    for tag, start, end, other_start, other_end in SequenceMatcher(
        None, *sides, autojunk=False
    ).get_opcodes():
        if tag != "equal":
            modified[0].extend(sides[0][start:end])
            modified[1].extend(sides[1][other_start:other_end])
    return modified


def nodes_of(pairs: pd.DataFrame, kinds: Collection[str]) -> Iterator[list[Node]]:
    """The nodes of each pair of a Pairs table, of the kinds `words`, `target` and `writer`.

    `words`: the modified words of both sentences, whichever stands where. A pair without a target or writer
    has no such node.
    """
    columns = [pairs[name] for name in (STEREOTYPE, ANTISTEREOTYPE, TARGET, WRITER)]
    for stereotype, antistereotype, target, writer in zip(*columns, strict=True):
        nodes: list[Node] = []
        if WORDS in kinds:
            one, other = modified_words(stereotype, antistereotype)
            nodes.extend((WORDS, word) for word in dict.fromkeys((*one, *other)))
        for kind, value in ((TARGET, target), (WRITER, writer)):
            if kind in kinds and not pd.isna(value):
                nodes.append((kind, value))
        yield nodes


def dependence_of(pairs: pd.DataFrame, kinds: Sequence[str]) -> Dependence:
    """Which pairs of a Pairs table share a node of these kinds."""
    return Dependence.of(nodes_of(pairs, kinds))


def kinds_in(pairs: pd.DataFrame, kinds: Sequence[str]) -> list[str]:
    """Those of `kinds` that the benchmark states; every benchmark has words."""
    return [kind for kind in kinds if kind == WORDS or pairs[kind].notna().any()]


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
