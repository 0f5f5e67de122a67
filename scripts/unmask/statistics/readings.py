"""Other readings of what counts as one word, or one cluster, for how robust a verdict is to that."""

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from unmask.statistics.dependence import Dependence
from unmask.statistics.nodes import Node, nodes_of
from unmask.statistics.options import WORDS, WRITER

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
    found = []
    if WORDS in kinds:
        found.append(Dependence.of(_joined(nodes_of(pairs, kinds))))
    if WRITER not in kinds and pairs[WRITER].notna().any():
        found.append(Dependence.of(nodes_of(pairs, [*kinds, WRITER])))
    return found


def _joined(nodes: Iterator[list[Node]]) -> Iterator[list[Node]]:
    for own in nodes:
        yield [(kind, base_form(name) if kind == WORDS else name) for kind, name in own]
