"""StereoSet (Nadeem et al. 2021): a JSON file of items with three sentences each."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from unmask.terms import ANTISTEREOTYPE, STEREOTYPE, UNRELATED
from unmask.user_files import Node, read_document

ROLES = {"stereotype": STEREOTYPE, "anti-stereotype": ANTISTEREOTYPE, "unrelated": UNRELATED}
"""Gold label -> role in the pair."""


def read(path: Path, entry: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place and the Pairs columns of every intrasentence item.

    Directions and ratings are null: the file does not say whose stereotype an item holds, and its
    annotators labelled sentences, not pairs. Raises InputError naming the file, item and key at fault.
    """
    for number, item in enumerate(items_of(path)):
        pair = {"pair_id": item["id"].value}
        pair |= {key: item[key].text() for key in ("bias_type", "context", "target")}
        for sentence in item["sentences"].parts():
            role = role_of(sentence)
            if role in pair:
                raise sentence.fault(f"a second {sentence['gold_label'].value} sentence")
            pair[role] = sentence["sentence"].text()
        if missing := [label for label, role in ROLES.items() if role not in pair]:
            raise item["sentences"].fault(f"no {missing[0]} sentence")
        yield f"item {pair['pair_id']} (row {number})", pair


def items_of(path: Path) -> Iterator[Node]:
    """The intrasentence items of a file, each with its id and its number, from 0, in its place."""
    for number, item in enumerate(read_document(path)["data"]["intrasentence"].parts()):
        id_ = Node(item.value, f"{path}: row {number}")["id"].text()
        yield Node(item.value, f"{path}: item {id_} (row {number})")


def role_of(sentence: Node) -> str:
    """The role of a sentence by its gold label. Raises InputError for an unknown one."""
    label = sentence["gold_label"]
    if label.text() not in ROLES:
        raise label.fault(f"{label.value!r} is none of {', '.join(ROLES)}")
    return ROLES[label.value]
