"""StereoSet (Nadeem et al. 2021): a JSON file of items with three sentences each."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from unmask.errors import InputError
from unmask.strict import json_of
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE, UNRELATED
from unmask.user_files import read_text

_ROLES = {"stereotype": STEREOTYPE, "anti-stereotype": ANTISTEREOTYPE, "unrelated": UNRELATED}
"""Gold label -> role in the pair."""


def read(path: Path, entry: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place and the Pairs columns of every intrasentence item.

    Directions and ratings are null: the file does not say whose stereotype an item holds, and its
    annotators labelled sentences, not pairs.
    """
    try:
        content = json_of(read_text(path))
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    try:
        items = content["data"]["intrasentence"]
    except (KeyError, TypeError):
        raise InputError(f"{path}: no data.intrasentence in it: not a StereoSet file") from None
    if not isinstance(items, list):
        raise InputError(f"{path}: data.intrasentence is not a list: not a StereoSet file")
    for number, item in enumerate(items):
        place = f"row {number}"
        if not isinstance(item, dict):
            raise InputError(f"{path}: {place}: not a JSON object")
        try:
            place = f"item {item['id']} (row {number})"
            yield place, _pair(item)
        except KeyError as error:
            raise InputError(f"{path}: {place}: no {error.args[0]!r} in it") from None
        except ValueError as error:
            raise InputError(f"{path}: {place}: {error}") from None


def _pair(item: Mapping[str, Any]) -> dict[str, Any]:
    row = {
        "pair_id": item["id"],
        "bias_type": item["bias_type"],
        "context": item["context"],
        "target": item["target"],
    }
    sentences = item["sentences"]
    if not (isinstance(sentences, list) and all(isinstance(sentence, dict) for sentence in sentences)):
        raise ValueError("sentences are not a list of JSON objects")
    for sentence in sentences:
        label = sentence["gold_label"]
        if not isinstance(label, str) or label not in _ROLES:
            raise ValueError(f"unknown gold label {label!r} (known: {', '.join(_ROLES)})")
        if _ROLES[label] in row:
            raise ValueError(f"more than one {label} sentence")
        row[_ROLES[label]] = sentence["sentence"]
    missing = [label for label, role in _ROLES.items() if role not in row]
    if missing:
        raise ValueError(f"no {missing[0]} sentence")
    return row
