"""Grounded tests, of texts with pictures (Ross, Katz & Barbu 2021, Grounded-WEAT and Grounded-SEAT).

A file is one JSON object: test_types, test_name, targ1, targ2, attr1, attr2 and, of sentences,
contextual_words. A set is {category, captions: {id: text}}, with the pictures of each caption:
`images: {file: [ids]}` of targets, and of attributes two of these, `<category of targ1>_Images` and
`<category of targ2>_Images`. The cells are X, Y, A_X, A_Y, B_X and B_Y, where A_X is A with pictures of X.
An item is a caption with one of its pictures.

No released file has the other six cells, in which targets are shown with attributes, and attributes alone. A
file may have them under keys made alike: `<category of attr1>_Images` and `<category of attr2>_Images` of
targets (X_A, X_B, Y_A, Y_B), and `images` of attributes (A, B).

Some released files have a picture twice among the keys of one object; Python keeps the last. One,
coco/sent-weat6, has a text in place of a list of captions ("12"). What is done with these is the study's to
say, `repeated_keys`:

published  the last is kept, and a caption that a picture lists twice counts twice, as in the released code;
           a text is read character by character, as its loaders iterate over it: "12" is captions 1 and 2
corrected  captions are those of all, and each counts once; a text is one caption's id: "12" is caption 12
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path, PureWindowsPath
from typing import Any

from unmask.associations.association_test import (
    KEYS,
    AssociationTest,
    Item,
    check_sets,
    distinct,
    name_of,
)
from unmask.associations.terms import A, B, X, Y
from unmask.errors import InputError
from unmask.labels import fault_of
from unmask.strict_parsing import parse_json
from unmask.user_documents import Node, read_document

PUBLISHED, CORRECTED = "published", "corrected"
REPEATED_KEYS = (PUBLISHED, CORRECTED)

CELLS = ("X", "Y", "A_X", "A_Y", "B_X", "B_Y")
"""The cells of the experiments, in the order of the items."""

FURTHER = ("X_A", "X_B", "Y_A", "Y_B", "A", "B")
"""The other cells, behind them where a file has them."""

Images = Mapping[str, Sequence[str]]
"""File of a picture -> ids of its captions."""

_AS_TEXT = {
    PUBLISHED: "read character by character, as released",
    CORRECTED: "read as the id of one caption",
}
"""What is done with a text in place of a list of captions."""


def read(path: Path, entry: Mapping[str, Any]) -> AssociationTest:
    """The test of a file. entry: `repeated_keys`, one of REPEATED_KEYS (corrected if it is not there).

    Captions without a picture are left out and counted in the remarks. A picture's name must stay below the
    folder of pictures. Raises InputError naming the file, the key, and the caption or picture, of what does
    not fit: a key that is missing, an empty cell, a picture of an unknown caption, a text in both sets of
    targets or of attributes.
    """
    repeats = _Repeats(entry.get("repeated_keys", CORRECTED))
    document = read_document(path, partial(parse_json, read_object=repeats.read_object))
    groups = {set_: document[key] for key, set_ in KEYS.items()}
    categories = {set_: group["category"].text(fault_of) for set_, group in groups.items()}
    if categories[X] == categories[Y]:
        raise document.fault(
            f"targ1 and targ2 are both {categories[X]!r}, so their pictures are not told apart"
        )
    keys = {cell: _key(cell, categories) for cell in (*CELLS, *FURTHER)}
    further = [cell for cell in FURTHER if keys[cell] in groups[cell[0]].mapping()]
    if categories[A] == categories[B] and any(cell[0] in (X, Y) for cell in further):
        raise document.fault(
            f"attr1 and attr2 are both {categories[A]!r}, so pictures of targets with them are not told apart"
        )
    captions = {
        set_: {id_: caption.text() for id_, caption in group["captions"].mapping().items()}
        for set_, group in groups.items()
    }
    items: list[Item] = []
    remarks = list(repeats.remarks())
    for cell in (*CELLS, *further):
        set_ = cell[0]
        images, as_text = _images(groups[set_][keys[cell]], captions[set_], repeats.how)
        if as_text:
            done = _AS_TEXT[repeats.how]
            remarks.append(f"{cell}: {as_text} pictures have a text in place of a list of captions: {done}")
        of_cell = [
            Item(set_, captions[set_][id_], cell, image) for image, ids in images.items() for id_ in ids
        ]
        if twice := sum(number - 1 for number in Counter(of_cell).values()):
            if repeats.how == CORRECTED:
                of_cell = list(dict.fromkeys(of_cell))
            counts = "counts once" if repeats.how == CORRECTED else "counts as often"
            remarks.append(f"{cell}: {twice} captions stand twice with one picture: each {counts}")
        seen = {item.text for item in of_cell}
        if unseen := [text for text in distinct(list(captions[set_].values())) if text not in seen]:
            remarks.append(f"{cell}: {len(unseen)} captions have no picture and are left out ({unseen[0]!r})")
        items += of_cell
    texts = {set_: distinct(list(those.values())) for set_, those in captions.items()}
    remarks += check_sets(str(path), texts)
    name = name_of(str(path), path.stem)
    if document.value.get("test_name", name) != name:
        remarks.append(f"the file calls it {str(document.value['test_name'])[:80]!r}")
    # a list, such as word, or sentence and contextual
    of_words = "word" in document["test_types"].texts()
    words = document.mapping().get("contextual_words")
    told_words = distinct(words.texts()) if words and words.value != [] else ()
    return AssociationTest(
        name, str(path), categories, texts, tuple(items), of_words, told_words, tuple(remarks)
    )


def _key(cell: str, categories: Mapping[str, str]) -> str:
    """What the pictures of a cell are called in its set."""
    return "images" if len(cell) == 1 else f"{categories[cell[-1]]}_Images"


class _Repeats:
    """What becomes of keys that an object has more than once."""

    def __init__(self, how: object) -> None:
        if how not in REPEATED_KEYS:
            raise InputError(f"repeated_keys: {how!r} is none of {', '.join(REPEATED_KEYS)}")
        self.how = str(how)
        self._keys: list[str] = []

    def read_object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key, value in pairs:
            if key in values:
                self._keys.append(key)
                if self.how == CORRECTED:
                    value = _merged(key, values[key], value)
            values[key] = value
        return values

    def remarks(self) -> list[str]:
        if not self._keys:
            return []
        done = "put together" if self.how == CORRECTED else "as the last says"
        return [f"{len(self._keys)} keys are repeated in the file ({self._keys[0]!r} first): {done}"]


def _merged(key: str, first: Any, second: Any) -> Any:
    """Both values of a repeated key in one. Raises ValueError where they say different things."""
    if isinstance(first, list) and isinstance(second, list):
        return first + second
    if isinstance(first, dict) and isinstance(second, dict):
        merged = dict(first)
        for inner, value in second.items():
            merged[inner] = _merged(inner, merged[inner], value) if inner in merged else value
        return merged
    if type(first) is type(second) and first == second:
        return first
    raise ValueError(f"the key {key!r} is there twice in one object, with values that do not go together")


def _images(group: Node, captions: Mapping[str, str], how: str) -> tuple[Images, int]:
    """The pictures of a cell, in the order of the file, with the ids of their captions; and how many of the
    pictures have a text in place of a list, which is read as REPEATED_KEYS say."""
    images: dict[str, list[str]] = {}
    as_text = 0
    for image, node in group.mapping().items():
        if fault := fault_of_image(image):
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
        if ids:
            images[image] = [str(id_) for id_ in ids]
    if not images:
        raise group.fault("no picture has a caption")
    return images, as_text


def fault_of_image(name: str) -> str | None:
    """Why a text cannot be the name of a picture below its folder, on any system, if so."""
    if fault := fault_of(name):
        return fault
    if not name.strip() or "\\" in name or PureWindowsPath(name).drive:
        return f"{name!r} is no name of a picture"
    if any(part in ("", ".", "..") for part in name.split("/")):
        return f"{name!r} is no plain path below the folder of pictures"
    return None
