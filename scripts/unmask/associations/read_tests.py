"""Files of association tests, a JSON object each, and the table STIMULI of a suite of them.

`sent-bias` (May et al. 2019, SEAT; Caliskan et al. 2017, WEAT): targ1, targ2, attr1, attr2 are X, Y, A and B,
each {category, examples: [text]}.

`grounded` (Ross, Katz & Barbu 2021): the same with {category, captions: {id: text}}, and the pictures of each
caption: `images: {file: [ids]}` of targets, and of attributes two of these, `<category of targ1>_Images` and
`<category of targ2>_Images`. The cells are X, Y, A_X, A_Y, B_X and B_Y, where A_X is A with pictures of X.
No released file has the other six, in which targets are shown with attributes, and attributes alone. A file
may have them under keys made alike: `<category of attr1>_Images` of targets (X_A), `images` of attributes.

Some released files have a picture twice among the keys of one object; Python keeps the last. One,
coco/sent-weat6, has a text in place of a list of captions ("12"). What is done with these is `repeated_keys`:

published  the last is kept, and a caption that a picture lists twice counts twice, as in the released code;
           a text is read character by character, as its loaders iterate over it: "12" is captions 1 and 2
corrected  captions are those of all, and each counts once; a text is one caption's id: "12" is caption 12
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from unmask.associations.schema import STIMULI
from unmask.associations.terms import GROUNDED_FORMAT, SETS, A, B, X, Y
from unmask.associations.words import WordFacts, Words, find
from unmask.errors import InputError
from unmask.tables import framed
from unmask.terms import CORRECTED, PUBLISHED
from unmask.user_files import Labels, Node, fault_of, parse_json, read_document

KEYS = {X: "targ1", Y: "targ2", A: "attr1", B: "attr2"}
"""What files call the sets."""

CONTRASTED = ((X, Y), (A, B))
"""The sets that are contrasted: a text in both would count for and against."""

CELLS = ("X", "Y", "A_X", "A_Y", "B_X", "B_Y")
"""The cells of the experiments, in the order of the items."""

FURTHER = ("X_A", "X_B", "Y_A", "Y_B", "A", "B")
"""The other cells, behind them where a file has them."""


class Item(NamedTuple):
    """A member of a set: a text, and in a grounded test its cell, and the picture that it is read with."""

    set: str
    text: str
    cell: str | None = None
    image: str | None = None


@dataclass
class AssociationTest:
    """A test as its file has it; its name is the file's, without the ending."""

    where: str
    """The file, as errors name it."""
    categories: Mapping[str, str]
    """Set -> what the file calls it."""
    texts: Mapping[str, list[str]]
    """Set -> its distinct texts, those that have no picture too."""
    items: list[Item]
    of_words: bool | None = None
    """Whether each text is a word; None where the file does not say."""
    contextual_words: list[str] = field(default_factory=list)
    """The words that texts of any set are there for, where the file lists them."""
    remarks: list[str] = field(default_factory=list)
    """What a reader of the numbers should know: what was left out, and why."""


def read_stimuli(
    paths: Sequence[Path], facts: WordFacts, entry: Mapping[str, Any], user_words: Path | None = None
) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    """The table STIMULI of a suite, in the order of its files, and `tests` of its metadata.

    entry: `format`, `repeated_keys` of grounded tests, and maybe `only`, names of the tests that are wanted.

    The words of a test of sentences are those of user_words; else the texts of the test of words beside it
    (`sent-X` -> `X`), whether it is wanted or not; else those that the facts have, or the test's file. A
    text of a test that none of these is for is a word itself.

    Raises InputError naming the file, and the key and text, of what is no such test; where two files or none
    have a test's name; and where a text has none of the words, or a word is in both sets of targets or of
    attributes.
    """
    by_name = _by_name(paths)
    words = None if user_words is None else read_words(user_words)
    tests: dict[str, AssociationTest] = {}
    rows: list[dict[str, Any]] = []
    about: list[dict[str, Any]] = []
    numbers: dict[tuple[str, str, str | None], int] = {}

    def test_of(name: str) -> AssociationTest:
        if name not in tests:
            tests[name] = _read(by_name[name], entry)
        return tests[name]

    for name in entry.get("only") or ():
        if name not in by_name:
            raise InputError(f"only: no file of the test {name!r} (there are {', '.join(by_name)})")
    for name in by_name:
        if entry.get("only") and name not in entry["only"]:
            continue
        test, sibling = test_of(name), facts.sibling(name)
        of_sibling = test_of(sibling).texts if sibling in by_name and not test.of_words else None
        of_items = _words_of_items(name, test, facts, words, of_sibling)
        for item, word in zip(test.items, of_items, strict=True):
            number = numbers.setdefault((item.text, word, item.image), len(numbers))
            rows.append({"test": name, **item._asdict(), "word": word, "stimulus": number})
        of_test = {"name": name, "categories": dict(test.categories), "remarks": test.remarks}
        if pictures := {(item.cell, item.image) for item in test.items if item.image is not None}:
            of_test["pictures"] = dict(sorted(Counter(str(cell) for cell, _ in pictures).items()))
        about.append(of_test)
    return framed(rows, STIMULI), about


def _by_name(paths: Sequence[Path]) -> dict[str, Path]:
    by_name: dict[str, Path] = {}
    for path in paths:
        if fault := fault_of(path.stem):
            raise InputError(f"{path}: the file's name is that of its test, and {fault}")
        other = by_name.setdefault(path.stem, path)
        if other != path:
            raise InputError(f"{path}: the test {path.stem!r} is {other} too; put one into another suite")
    if not by_name:
        raise InputError("no file of a test is there")
    return by_name


def _read(path: Path, entry: Mapping[str, Any]) -> AssociationTest:
    """The test of a file, with remarks on texts of both targets and attributes.

    Raises InputError where two sets that are contrasted have a text in common.
    """
    grounded = entry["format"] == GROUNDED_FORMAT
    test = _grounded(path, entry.get("repeated_keys", CORRECTED)) if grounded else _sent_bias(path)
    for one, other in combinations(SETS, 2):
        shared = [text for text in test.texts[one] if text in set(test.texts[other])]
        if shared and (one, other) in CONTRASTED:
            raise InputError(f"{path}: {shared[0]!r} is in both {_key(one)} and {_key(other)}")
        if shared:
            common = f"{one} and {other} have {shared[0]!r} in common: its cosine with itself counts"
            test.remarks.append(common)
    return test


def _key(set_: str) -> str:
    return f"{KEYS[set_]} ({set_})"


def _sent_bias(path: Path) -> AssociationTest:
    """A text that a set has twice counts once, as in the released code, which keeps embeddings by text."""
    document = read_document(path)
    groups = {set_: document[key] for set_, key in KEYS.items()}
    categories = {set_: group["category"].text(fault_of) for set_, group in groups.items()}
    examples = {set_: group["examples"].texts() for set_, group in groups.items()}
    remarks = []
    for set_, members in examples.items():
        if twice := [text for text, number in Counter(members).items() if number > 1]:
            remarks.append(
                f"{set_} has {len(twice)} texts more than once ({twice[0]!r} first): each counts once"
            )
    texts = {set_: list(dict.fromkeys(members)) for set_, members in examples.items()}
    items = [Item(set_, text) for set_, members in texts.items() for text in members]
    return AssociationTest(str(path), categories, texts, items, remarks=remarks)


def _grounded(path: Path, repeated_keys: str) -> AssociationTest:
    """Captions without a picture are left out and counted in the remarks."""
    repeated: list[str] = []
    document = read_document(path, partial(parse_json, read_object=partial(_object, repeated_keys, repeated)))
    groups = {set_: document[key] for set_, key in KEYS.items()}
    categories = {set_: group["category"].text(fault_of) for set_, group in groups.items()}
    remarks = []
    if repeated:
        done = "put together" if repeated_keys == CORRECTED else "as the last says"
        remarks.append(f"{len(repeated)} keys are repeated in the file ({repeated[0]!r} first): {done}")
    keys = {
        cell: "images" if len(cell) == 1 else f"{categories[cell[-1]]}_Images" for cell in (*CELLS, *FURTHER)
    }
    further = [cell for cell in FURTHER if keys[cell] in groups[cell[0]].mapping()]
    for one, other in CONTRASTED:
        # pictures of attributes are always told by the categories of targets
        needed = one == X or any(cell[0] in (X, Y) for cell in further)
        if needed and categories[one] == categories[other]:
            raise document.fault(
                f"{KEYS[one]} and {KEYS[other]} are both {categories[one]!r}, so their pictures are "
                "not told apart"
            )
    captions = {
        set_: {id_: caption.text() for id_, caption in group["captions"].mapping().items()}
        for set_, group in groups.items()
    }
    items: list[Item] = []
    for cell in (*CELLS, *further):
        set_ = cell[0]
        of_cell = [
            Item(set_, captions[set_][id_], cell, image)
            for image, id_ in _pictures(
                cell, groups[set_][keys[cell]], captions[set_], repeated_keys, remarks
            )
        ]
        if twice := len(of_cell) - len(set(of_cell)):
            counts = "counts once" if repeated_keys == CORRECTED else "counts as often"
            remarks.append(f"{cell}: {twice} captions stand twice with one picture: each {counts}")
        items += dict.fromkeys(of_cell) if repeated_keys == CORRECTED else of_cell
        seen = {item.text for item in of_cell}
        if unseen := [text for text in dict.fromkeys(captions[set_].values()) if text not in seen]:
            remarks.append(f"{cell}: {len(unseen)} captions have no picture and are left out ({unseen[0]!r})")
    texts = {set_: list(dict.fromkeys(those.values())) for set_, those in captions.items()}
    values = document.mapping()
    if "test_name" in values and values["test_name"].value != path.stem:
        remarks.append(f"the file calls it {str(values['test_name'].value)[:80]!r}")
    # a list, such as word, or sentence and contextual
    of_words = "word" in document["test_types"].texts()
    listed = values.get("contextual_words")
    contextual_words = list(dict.fromkeys(listed.texts())) if listed and listed.value != [] else []
    return AssociationTest(str(path), categories, texts, items, of_words, contextual_words, remarks)


def _object(how: str, repeated: list[str], pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON in which keys may be there twice; these are added to `repeated`."""
    values: dict[str, Any] = {}
    for key, value in pairs:
        if key in values:
            repeated.append(key)
            if how == CORRECTED:
                value = _merged(key, values[key], value)
        values[key] = value
    return values


def _merged(key: str, first: Any, second: Any) -> Any:
    """Both values of a repeated key in one. Raises ValueError where they say different things."""
    if isinstance(first, list) and isinstance(second, list):
        return first + second
    if isinstance(first, dict) and isinstance(second, dict):
        both = {inner: _merged(inner, first[inner], second[inner]) for inner in first.keys() & second.keys()}
        return first | second | both
    if type(first) is type(second) and first == second:
        return first
    raise ValueError(f"the key {key!r} is there twice in one object, with values that do not go together")


def _pictures(
    cell: str, group: Node, captions: Mapping[str, str], how: str, remarks: list[str]
) -> list[tuple[str, str]]:
    """Each picture of a cell with the id of each of its captions, in the order of the file."""
    pictures = []
    as_text = 0
    for image, node in group.mapping().items():
        if fault := fault_of(image) or (None if image.strip() else "a picture has no name"):
            raise group.fault(fault)
        ids = node.value
        if isinstance(ids, str):
            as_text += 1
            ids = list(ids) if how == PUBLISHED else [ids]
        if not isinstance(ids, list):
            raise node.fault("has no list of captions")
        for id_ in ids:
            # keys of JSON are texts, and ids in lists are numbers
            whole = isinstance(id_, int) and not isinstance(id_, bool)
            if not (whole or isinstance(id_, str)) or str(id_) not in captions:
                raise node.fault(f"is of a caption {id_!r}, which is not there")
            pictures.append((image, str(id_)))
    if as_text:
        done = (
            "read character by character, as released"
            if how == PUBLISHED
            else "read as the id of one caption"
        )
        remarks.append(f"{cell}: {as_text} pictures have a text in place of a list of captions: {done}")
    if not pictures:
        raise group.fault("no picture has a caption")
    return pictures


def _words_of_items(
    name: str, test: AssociationTest, facts: WordFacts, of_user: Words | None, of_sibling: Words | None
) -> list[str]:
    """The word of each item. Raises InputError for what is no word, two that look alike, and one in both of
    two sets that are contrasted."""
    words, sibling = of_user, facts.sibling(name)
    if words is None and not test.of_words:
        words = of_sibling or facts.tests.get(name)
        if words is None and test.contextual_words:
            words = dict.fromkeys(SETS, test.contextual_words)
            test.remarks.append("words are its contextual_words, where a plural is a word of its own")
        if words is None and (test.of_words is False or sibling):
            lacking = f"no test {sibling!r} is beside it" if sibling else "it has no contextual_words"
            raise InputError(f"{test.where}: no words of its sentences: {lacking}; name a file with `words`")
    word_of: dict[tuple[str, str], str] = {}
    members: dict[str, dict[str, None]] = {set_: {} for set_ in SETS}
    labels = Labels()
    for set_, text in dict.fromkeys((item.set, item.text) for item in test.items):
        found = (text, None) if words is None else find(text, words[set_], facts.plurals)
        if found is None:
            raise InputError(
                f"{test.where}: {_key(set_)}: none of its words stands in {text!r}; name a file with `words`"
            )
        word = word_of[set_, text] = found[0]
        if word not in members[set_] and (fault := labels.check(word, f"in {_key(set_)}")):
            raise InputError(f"{test.where}: {_key(set_)}: {fault}")
        members[set_][word] = None
    for one, other in CONTRASTED:
        if shared := [word for word in members[one] if word in members[other]]:
            raise InputError(
                f"{test.where}: texts of both {_key(one)} and {_key(other)} are there for {shared[0]!r}"
            )
    return [word_of[item.set, item.text] for item in test.items]


def read_words(path: str | Path) -> dict[str, list[str]]:
    """The words of a test's texts as a user gives them: JSON, each set a list of words, or as in a test file.

    Sets are X, Y, A, B, or targ1, targ2, attr1, attr2. Raises InputError naming the file, set and word.
    """
    document = read_document(path)
    values = document.mapping()
    words: dict[str, list[str]] = {}
    for set_, key in KEYS.items():
        names = [name for name in (key, set_) if name in values]
        if len(names) != 1:
            fault = "both are there" if names else "neither is there"
            raise document.fault(f"{key} or {set_}: {fault}; words are of {', '.join(KEYS.values())}")
        group = values[names[0]]
        of_set = group["examples"] if isinstance(group.value, dict) else group
        words[set_] = list(dict.fromkeys(of_set.texts(fault_of)))
    return words
