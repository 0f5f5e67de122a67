"""The word that a text is there for, and where in the text it stands."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd

from unmask.associations.association_test import KEYS, distinct
from unmask.associations.terms import SETS
from unmask.errors import InputError
from unmask.labels import fault_of
from unmask.strict_parsing import parse_yaml
from unmask.user_documents import read_document

SENTENCES = "sent-"
"""What the name of a test of sentences begins with; the rest is that of the test of their words."""

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
        """Raises InputError naming the file and the key of what is missing, unknown or no word."""
        facts = read_document(path, parse_yaml)
        plurals, siblings = (
            {word: node.text() for word, node in facts[key].mapping().items()}
            for key in ("plurals", "siblings")
        )
        lists = {name: node.texts() for name, node in facts["lists"].mapping().items()}

        def unknown(name: str) -> str | None:
            return None if name in lists else f"{name!r} is none of the lists"

        tests = {
            name: {set_: lists[sets[set_].text(unknown)] for set_ in SETS}
            for name, sets in facts["tests"].mapping().items()
        }
        return cls(plurals, siblings, tests)

    def sibling(self, name: str) -> str | None:
        """The test of the words of a test of sentences; None where the name is of none."""
        if name in self.siblings:
            return self.siblings[name]
        return name.removeprefix(SENTENCES) if name.startswith(SENTENCES) else None


@dataclass(frozen=True)
class Mention:
    """A word of a text; start and end are offsets in the text, of its characters [start, end)."""

    word: str
    start: int
    end: int


def find(text: str, words: Sequence[str], plurals: Mapping[str, str]) -> Mention | None:
    """The word of `words` that a text is there for, at its last occurrence; None if there is none.

    It is the longest that stands whole in the text, in any case: neither letters nor digits beside it. If
    there is none, the longest of those that stand in it with -s, -es or -ies or without these; then of those
    with a plural that is not made so. Words as they are go first because `her` and `hers` are two. Of words
    of one length the first counts.
    """
    for forms in (_as_it_is, _with_s, lambda word: _irregular(word, plurals)):
        best: Mention | None = None
        for word in words:
            if best is None or len(word) > len(best.word):
                place = _last_place(text, forms(word))
                best = Mention(word, *place) if place else best
        if best:
            return best
    return None


def place(text: str, word: str, plurals: Mapping[str, str]) -> tuple[int, int] | None:
    """Where in a text its word stands, [start, end), at the last occurrence; None if it does not."""
    mention = find(text, [word], plurals)
    return (mention.start, mention.end) if mention else None


def spans_of(stimuli: pd.DataFrame, plurals: Mapping[str, str]) -> list[tuple[int, int]]:
    """Where in the text of each stimulus its word stands, as `place` has it.

    Raises InputError naming text and word where it does not.
    """
    spans = []
    for text, word in zip(stimuli["text"], stimuli["word"], strict=True):
        span = place(text, word, plurals)
        if span is None:
            raise InputError(f"{text!r}: its word {word!r} does not stand in it")
        spans.append(span)
    return spans


def _as_it_is(word: str) -> tuple[str, ...]:
    return (word,)


def _with_s(word: str) -> tuple[str, ...]:
    """A word with the regular endings of plurals, and without them."""
    forms = [word + "s", word + "es"]
    for ending, other in (("y", "ies"), ("s", ""), ("es", ""), ("ies", "y")):
        if word.lower().endswith(ending):
            forms.append(word[: -len(ending)] + other)
    return tuple(form for form in forms if form)


def _irregular(word: str, plurals: Mapping[str, str]) -> tuple[str, ...]:
    """A word, or several (`woman of color`), with a singular in place of a plural or the other way."""
    others = {**plurals, **{singular: plural for plural, singular in plurals.items()}}
    return tuple(
        word[: match.start()] + others[match.group().lower()] + word[match.end() :]
        for match in re.finditer(r"\w+", word)
        if match.group().lower() in others
    )


def _last_place(text: str, forms: Sequence[str]) -> tuple[int, int] | None:
    places = [match.span() for form in forms for match in _occurrences(text, form)]
    # at one start, the longer form
    return max(places, default=None)


def _occurrences(text: str, form: str) -> Iterator[re.Match[str]]:
    """Every occurrence, those that overlap the one before too."""
    start = 0
    while match := _whole(form).search(text, start):
        yield match
        start = match.start() + 1


@cache
def _whole(form: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(form)}(?!\w)", re.IGNORECASE)


def read_words(path: str | Path) -> dict[str, tuple[str, ...]]:
    """The words of a test's texts as a user gives them: JSON, each set a list of words, or as in a test file.

    Sets are X, Y, A, B, or targ1, targ2, attr1, attr2. Raises InputError naming the file, set and word.
    """
    document = read_document(path)
    values = document.mapping()
    words: dict[str, tuple[str, ...]] = {}
    for key, set_ in KEYS.items():
        names = [name for name in (key, set_) if name in values]
        if len(names) != 1:
            fault = "both are there" if names else "neither is there"
            raise document.fault(f"{key} or {set_}: {fault}; words are of {', '.join(KEYS)}")
        group = values[names[0]]
        of_set = group["examples"] if isinstance(group.value, dict) else group
        words[set_] = distinct(of_set.texts(fault_of))
    return words
