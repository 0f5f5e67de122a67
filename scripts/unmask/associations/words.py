"""The word that a text is there for, and where in the text it stands."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd
import yaml

from unmask.errors import InputError

SENTENCES = "sent-"
"""What the name of a test of sentences begins with; the rest is that of the test of their words."""

Span = tuple[int, int]
Words = Mapping[str, Sequence[str]]
"""Set -> the words that its texts are there for."""


@dataclass(frozen=True)
class WordFacts:
    """The facts of resources/associations/words.yaml.

    plurals: of words whose plural does not end in -s, plural -> singular. siblings: test of sentences -> the
    test of its words. tests: test -> its words, of tests that have no sibling.
    """

    plurals: Mapping[str, str]
    siblings: Mapping[str, str]
    tests: Mapping[str, Words]

    @classmethod
    def from_file(cls, path: str | Path) -> "WordFacts":
        facts = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        lists = facts["lists"]
        tests = {
            name: {set_: lists[which] for set_, which in sets.items()}
            for name, sets in facts["tests"].items()
        }
        return cls(facts["plurals"], facts["siblings"], tests)

    def sibling(self, name: str) -> str | None:
        """The test of the words of a test of sentences; None where the name is of none."""
        if name in self.siblings:
            return self.siblings[name]
        return name.removeprefix(SENTENCES) if name.startswith(SENTENCES) else None


def find(text: str, words: Sequence[str], plurals: Mapping[str, str]) -> tuple[str, Span] | None:
    """The word of `words` that a text is there for, and where its last occurrence is; None if there is none.

    It is the longest that stands whole in the text, in any case: neither letters nor digits beside it. If
    there is none, the longest of those that stand in it with -s, -es or -ies or without these; then of those
    with a plural that is not made so. Words as they are go first because `her` and `hers` are two. Of words
    of one length the first counts.
    """
    longest_first = sorted(words, key=len, reverse=True)
    for forms_of in (lambda word: (word,), _with_s, lambda word: _irregular(word, plurals)):
        for word in longest_first:
            if (forms := tuple(forms_of(word))) and (spans := _spans(text, forms)):
                return word, spans[-1]
    return None


def spans_of(stimuli: pd.DataFrame, plurals: Mapping[str, str]) -> list[Span]:
    """Where in the text of each stimulus its word stands, [start, end), as `find` has it.

    Raises InputError naming text and word where it does not.
    """
    spans = []
    for text, word in zip(stimuli["text"], stimuli["word"], strict=True):
        found = find(text, [word], plurals)
        if found is None:
            raise InputError(f"{text!r}: its word {word!r} does not stand in it")
        spans.append(found[1])
    return spans


def _with_s(word: str) -> Iterator[str]:
    """A word with the regular endings of plurals, and without them."""
    yield from (word + "s", word + "es")
    for ending, other in (("y", "ies"), ("s", ""), ("es", ""), ("ies", "y")):
        if word.lower().endswith(ending) and (form := word[: -len(ending)] + other):
            yield form


def _irregular(word: str, plurals: Mapping[str, str]) -> Iterator[str]:
    """A word, or several (`woman of color`), with a singular in place of a plural or the other way."""
    others = {**plurals, **{singular: plural for plural, singular in plurals.items()}}
    for match in re.finditer(r"\w+", word):
        if other := others.get(match[0].lower()):
            yield word[: match.start()] + other + word[match.end() :]


def _spans(text: str, forms: tuple[str, ...]) -> list[Span]:
    """Where forms of a word stand whole, in order, overlapping ones too; at one start the longest."""
    return [match.span(1) for match in _whole(forms).finditer(text)]


@cache
def _whole(forms: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = "|".join(map(re.escape, sorted(forms, key=len, reverse=True)))
    return re.compile(rf"(?<!\w)(?=({longest_first})(?!\w))", re.IGNORECASE)
