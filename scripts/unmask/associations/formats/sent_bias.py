"""Tests of words or sentences as sent-bias has them (May et al. 2019, SEAT; Caliskan et al. 2017, WEAT).

A file is one JSON object: targ1, targ2, attr1 and attr2, each {category, examples: [text]}; these are X, Y, A
and B. Other keys are passed over. The texts are kept as they are.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unmask.associations.association_test import (
    KEYS,
    AssociationTest,
    Item,
    category_of,
    check_sets,
    check_text,
    distinct,
    name_of,
    remark_on_repeats,
)
from unmask.errors import InputError
from unmask.strict import json_of
from unmask.user_files import read_text


def read(path: Path, entry: Mapping[str, Any]) -> AssociationTest:
    """The test of a file. entry: nothing in it is looked at.

    A text that stands twice in a set counts once, as in the released code, which keeps embeddings by text.
    Raises InputError naming the file, and the key and text, of what is no such test: a key that is missing,
    an empty set, a text that is none, or one that is in both sets of targets or of attributes.
    """
    where = str(path)
    try:
        value = json_of(read_text(path))
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None
    categories: dict[str, str] = {}
    texts: dict[str, tuple[str, ...]] = {}
    remarks: list[str] = []
    for key, set_ in KEYS.items():
        group = value.get(key) if isinstance(value, dict) else None
        if not isinstance(group, dict):
            raise InputError(f"{where}: no {key} in it; a test has {', '.join(KEYS)}, each an object")
        categories[set_] = category_of(where, key, group)
        examples = group.get("examples")
        if not isinstance(examples, list) or not examples:
            raise InputError(f"{where}: {key}: no examples in it (a list of texts)")
        found = [check_text(where, key, f"example {n}", each) for n, each in enumerate(examples, start=1)]
        remarks += remark_on_repeats(set_, found)
        texts[set_] = distinct(found)
    remarks += check_sets(where, texts)
    items = tuple(Item(set_, text) for set_, members in texts.items() for text in members)
    return AssociationTest(name_of(where, path.stem), where, categories, texts, items, remarks=tuple(remarks))
