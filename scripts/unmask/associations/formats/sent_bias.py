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
    check_sets,
    distinct,
    name_of,
    remark_on_repeats,
)
from unmask.labels import fault_of
from unmask.user_documents import read_document


def read(path: Path, entry: Mapping[str, Any]) -> AssociationTest:
    """The test of a file. entry: nothing in it is looked at.

    A text that stands twice in a set counts once, as in the released code, which keeps embeddings by text.
    Raises InputError naming the file, and the key and text, of what is no such test: a key that is missing,
    an empty set, a text that is none, or one that is in both sets of targets or of attributes.
    """
    document = read_document(path)
    groups = {set_: document[key] for key, set_ in KEYS.items()}
    categories = {set_: group["category"].text(fault_of) for set_, group in groups.items()}
    examples = {set_: group["examples"].texts() for set_, group in groups.items()}
    remarks = [remark for set_, texts in examples.items() for remark in remark_on_repeats(set_, texts)]
    texts = {set_: distinct(members) for set_, members in examples.items()}
    remarks += check_sets(str(path), texts)
    items = tuple(Item(set_, text) for set_, members in texts.items() for text in members)
    name = name_of(str(path), path.stem)
    return AssociationTest(name, str(path), categories, texts, items, remarks=tuple(remarks))
