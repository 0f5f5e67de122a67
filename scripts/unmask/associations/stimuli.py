"""The tests of a suite, each item with the word that it is there for, and the table STIMULI of all."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.associations.association_test import CONTRASTED, KEYS, AssociationTest
from unmask.associations.schema import STIMULI
from unmask.associations.words import WordFacts, Words, find, read_words
from unmask.errors import InputError
from unmask.labels import Labels
from unmask.plugins import load
from unmask.tables import framed

FORMATS = "associations/formats"
"""The folder of their modules (see unmask.plugins)."""


@dataclass(frozen=True)
class Worded:
    """A test, and the word of each of its items."""

    test: AssociationTest
    words: tuple[str, ...]
    remarks: tuple[str, ...]
    """Those of the test, and on its words."""


def read_stimuli(
    files: Mapping[str, Sequence[Path]], entry: Mapping[str, Any], suite: str, source: str
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The table STIMULI of a suite, and its metadata.

    files and entry: as `read_suite` has them, which says what is raised. source: in words, where it is from.
    """
    worded = read_suite(files, entry)
    tests = [_facts_of(each) for each in worded]
    return stimuli_of(worded), {"suite": suite, "format": entry["format"], "source": source, "tests": tests}


def _facts_of(worded: Worded) -> dict[str, Any]:
    test = worded.test
    facts = {"name": test.name, "categories": dict(test.categories), "remarks": list(worded.remarks)}
    pictures = {(item.cell, item.image) for item in test.items if item.image is not None}
    if pictures:
        facts["pictures"] = dict(sorted(Counter(str(cell) for cell, _ in pictures).items()))
    return facts


def stimuli_of(tests: Sequence[Worded]) -> pd.DataFrame:
    """The table STIMULI: a row per item; distinct (text, word, image) are numbered in order of first use."""
    numbers: dict[tuple[str, str, str | None], int] = {}
    rows = []
    for worded in tests:
        for item, word in zip(worded.test.items, worded.words, strict=True):
            number = numbers.setdefault((item.text, word, item.image), len(numbers))
            rows.append(
                {
                    "test": worded.test.name,
                    "set": item.set,
                    "cell": item.cell,
                    "word": word,
                    "text": item.text,
                    "image": item.image,
                    "stimulus": number,
                }
            )
    return framed(rows, STIMULI)


def read_suite(files: Mapping[str, Sequence[Path]], entry: Mapping[str, Any]) -> list[Worded]:
    """The tests of a suite, in the order of its files.

    files: tests; facts, resources/associations/words.yaml; and maybe words, a user's. entry: `format`, what
    the format knows, and maybe `only`, names of the tests that are wanted.

    The words of a test of sentences are those of `words`; else the texts of the test of words beside it
    (`sent-X` -> `X`), whether it is wanted or not; else those that the facts have, or the test's file. A
    text of a test that none of these is for is a word itself. Raises InputError as the readers do; where two
    files or none have a test's name; and naming file, set and text where a text has none of the words, or a
    word is in both sets of targets or of attributes.
    """
    read = load(FORMATS, entry["format"]).read
    paths = _by_name(files["tests"])
    facts = WordFacts.from_file(files["facts"][0])
    words = read_words(files["words"][0]) if files.get("words") else None
    known: dict[str, AssociationTest] = {}

    def test_of(name: str) -> AssociationTest:
        if name not in known:
            known[name] = read(paths[name], entry)
        return known[name]

    tests = []
    for name in _selected(paths, entry.get("only"), "no file of the test"):
        test = test_of(name)
        sibling = facts.sibling(name)
        siblings_words = None
        if words is None and sibling is not None and sibling in paths and not test.of_words:
            siblings_words = test_of(sibling).texts
        tests.append(_worded(test, facts, words, siblings_words))
    return tests


def _by_name(paths: Sequence[Path]) -> dict[str, Path]:
    by_name: dict[str, Path] = {}
    for path in paths:
        other = by_name.setdefault(path.stem, path)
        if other != path:
            raise InputError(f"{path}: the test {path.stem!r} is {other} too; put one into another suite")
    if not by_name:
        raise InputError("no file of a test is there")
    return by_name


def _selected(names: Iterable[str], only: Sequence[str] | None, lacking: str) -> list[str]:
    known = list(names)
    for name in only or ():
        if name not in known:
            raise InputError(f"only: {lacking} {name!r} (there are {', '.join(known)})")
    return [name for name in known if only is None or name in only]


def _worded(
    test: AssociationTest, facts: WordFacts, of_user: Words | None, of_sibling: Words | None
) -> Worded:
    remarks = list(test.remarks)
    words = of_user
    if words is None and not test.of_words:
        words = of_sibling or facts.tests.get(test.name)
        if words is None and test.told_words:
            words = dict.fromkeys(test.categories, test.told_words)
            remarks.append("words are its contextual_words, where a plural is a word of its own")
        if words is None and (test.of_words is False or facts.sibling(test.name)):
            sibling = facts.sibling(test.name)
            lacking = f"no test {sibling!r} is beside it" if sibling else "it has no contextual_words"
            raise InputError(f"{test.where}: no words of its sentences: {lacking}; name a file with `words`")
    if words is None:
        return _checked(test, [item.text for item in test.items], remarks)
    of_text = {
        (set_, text): _word(test, set_, text, words[set_], facts)
        for set_, text in dict.fromkeys((item.set, item.text) for item in test.items)
    }
    return _checked(test, [of_text[item.set, item.text] for item in test.items], remarks)


def _word(test: AssociationTest, set_: str, text: str, words: Sequence[str], facts: WordFacts) -> str:
    match = find(text, words, facts.plurals)
    if match is None:
        raise InputError(
            f"{test.where}: {_key(set_)}: none of its words stands in {text!r}; name a file with `words`"
        )
    return match.word


def _checked(test: AssociationTest, words: Sequence[str], remarks: Sequence[str]) -> Worded:
    """Raises InputError for what is no word, two that look alike, and one in both of two sets."""
    members: dict[str, dict[str, None]] = {set_: {} for set_ in test.categories}
    labels = Labels()
    for item, word in zip(test.items, words, strict=True):
        if word not in members[item.set]:
            members[item.set][word] = None
            if fault := labels.check(word, f"in {_key(item.set)}"):
                raise InputError(f"{test.where}: {_key(item.set)}: {fault}")
    for one, other in CONTRASTED:
        for word in members[one]:
            if word in members[other]:
                raise InputError(
                    f"{test.where}: texts of both {_key(one)} and {_key(other)} are there for {word!r}"
                )
    return Worded(test, tuple(words), tuple(remarks))


def _key(set_: str) -> str:
    key = next(key for key, each in KEYS.items() if each == set_)
    return f"{key} ({set_})"
