"""What a study asks of template tests that its schema cannot check, and the words that a user gives for them.

This is read at every planning, so it loads no tables.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from unmask.errors import InputError
from unmask.labels import Labels, fault_of
from unmask.strict_parsing import parse_yaml
from unmask.templates.terms import LPBS, SLOTS, WORDS_OF
from unmask.user_documents import read_document

KEY = "config key templates"
Entry = Mapping[str, Any]
Words = Mapping[str, Sequence[str]]
"""Set -> its words."""


def check_study(templates: Entry, models: Collection[str], masked: Collection[str]) -> None:
    """Check the key `templates` of a completed study.

    templates: empty where the study lacks it. models: all of the study; masked: the masked language models
    with files. Raises InputError naming the key at fault, or file and set of words.
    """
    if not templates:
        return
    for name in templates["models"] or ():
        if name in models and name not in masked:
            raise InputError(f"{KEY}.models: {name} is not a masked-lm model with files")
    if not masked:
        raise InputError(f"{KEY}: the study has no masked-lm model with files to fill templates")
    for name, entry in templates["tests"].items():
        check_test(f"{KEY}.tests.{name}", entry)


def check_test(where: str, entry: Entry) -> None:
    """Check one test and its file of words. Raises InputError that begins with `where` or the file."""
    for template in entry["templates"]:
        check_template(f"{where}.templates", template, entry["measure"])
    if entry["measure"] == LPBS:
        check_targets(f"{where}.targets", entry["targets"])
    read_words(entry[WORDS_OF[entry["measure"]]])


def check_template(where: str, template: str, measure: str) -> None:
    """Raise InputError unless a template has each slot of its measure once."""
    for slot in SLOTS[measure]:
        if (number := template.count(slot)) != 1:
            raise InputError(f"{where}: {template!r} has {slot} {number} times, not once")
    if fault := fault_of(template):
        raise InputError(f"{where}: {fault}")


def check_targets(where: str, targets: Words) -> None:
    """Raise InputError where a target stands twice, on one side or on both."""
    first: dict[str, str] = {}
    for side, words in targets.items():
        for word in words:
            if word in first:
                raise InputError(f"{where}.{side}: {word!r} stands in {first[word]} too")
            first[word] = side


def read_words(path: str | Path) -> Words:
    """A user's words: a YAML file of set -> list of words, with two sets; of DisCo these are two genders.

    Raises InputError naming the file, set and word of what is no such file: two sets of two words or more,
    none of which stands in it twice or looks like another.
    """
    document = read_document(path, parse_yaml)
    labels, sets = Labels(), dict[str, list[str]]()
    first: dict[str, str] = {}
    for name, node in document.items():
        words = []
        for part in node.parts():
            word = part.text(lambda text: _spaces_around(text) or labels.check(text, "before it"))
            if word in first:
                raise part.fault(f"{word!r} stands in {first[word]} too")
            first[word] = name
            words.append(word)
        if len(words) < 2:
            raise node.fault("has only one word; a test needs two or more in each set")
        sets[name] = words
    if len(sets) != 2:
        number = f"{len(sets)} set{'' if len(sets) == 1 else 's'}"
        raise document.fault(f"has {number} of words, and a test compares two")
    return sets


def _spaces_around(text: str) -> str | None:
    return f"{text!r} has spaces around it" if text != text.strip() else None
