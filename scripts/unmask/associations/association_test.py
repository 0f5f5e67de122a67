"""What the reader of a format makes of one file: an association test, its sets and what is in them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from unmask.associations.terms import SETS, A, B, X, Y
from unmask.errors import InputError
from unmask.labels import fault_of

KEYS = {"targ1": X, "targ2": Y, "attr1": A, "attr2": B}
"""The keys of sent-bias, which other formats have kept, and the sets that they mean."""

CONTRASTED = ((X, Y), (A, B))
"""The sets that are contrasted: a text in both would count for and against."""


@dataclass(frozen=True)
class Item:
    """A member of a set: a text, and in a grounded test the picture that it is read with."""

    set: str
    text: str
    cell: str | None = None
    """Of a grounded test: the set, and of attributes whose pictures they are (A_X)."""
    image: str | None = None


@dataclass(frozen=True)
class AssociationTest:
    """A test as its file has it; its name is the file's, without the ending."""

    name: str
    where: str
    """The file, as errors name it."""
    categories: Mapping[str, str]
    """Set -> what the file calls it."""
    texts: Mapping[str, tuple[str, ...]]
    """Set -> its distinct texts, those that have no picture too."""
    items: tuple[Item, ...]
    of_words: bool | None = None
    """Whether each text is a word; None where the file does not say."""
    told_words: tuple[str, ...] = ()
    """The words that texts of any set are there for, where the file lists them."""
    remarks: tuple[str, ...] = ()
    """What a reader of the numbers should know: what was left out, and why."""
    words: tuple[str, ...] | None = None
    """The word of each item, where the format tells it."""


def name_of(where: str, stem: str) -> str:
    """The name of a test by its file's stem. Raises InputError where it can be no name."""
    if fault := fault_of(stem):
        raise InputError(f"{where}: the file's name is that of its test, and {fault}")
    return stem


def distinct(texts: Sequence[str]) -> tuple[str, ...]:
    """The texts in order of first use, each once."""
    return tuple(dict.fromkeys(texts))


def remark_on_repeats(set_: str, texts: Sequence[str]) -> list[str]:
    """What is said of texts that stand more than once in a set, if any do."""
    twice = [text for text, number in Counter(texts).items() if number > 1]
    if not twice:
        return []
    return [f"{set_} has {len(twice)} texts more than once ({twice[0]!r} first): each counts once"]


def check_sets(where: str, texts: Mapping[str, Sequence[str]]) -> list[str]:
    """Raise InputError naming the file, sets and text where two sets that are contrasted have a text in
    common. Gives remarks on texts that a set of targets shares with one of attributes."""
    key_of = {set_: key for key, set_ in KEYS.items()}
    remarks = []
    for one, other in combinations(SETS, 2):
        members = set(texts[other])
        shared = [text for text in texts[one] if text in members]
        if not shared:
            continue
        if (one, other) in CONTRASTED:
            raise InputError(
                f"{where}: {shared[0]!r} is in both {key_of[one]} ({one}) and {key_of[other]} ({other})"
            )
        remarks.append(f"{one} and {other} have {shared[0]!r} in common: its cosine with itself counts")
    return remarks
