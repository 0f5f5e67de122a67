"""Lists of words kept by hand: words to leave out, and group words listed for each bias type."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.errors import InputError
from unmask.frequency.words import words_of
from unmask.labels import Labels, fault_of
from unmask.user_files import read_yaml

ADVANTAGED, DISADVANTAGED = "advantaged", "disadvantaged"
GROUPS = (ADVANTAGED, DISADVANTAGED)


def read_left_out(path: str | Path) -> frozenset[str]:
    """The words of every list in a YAML file of lists: name -> {source, words}.

    An entry of `words` may hold several words, separated by spaces.
    Raises InputError for a file of another shape, or a word that is not as words_of writes it.
    """
    found: set[str] = set()
    for name, entry in _mapping(path, read_yaml(path)).items():
        if not isinstance(entry, Mapping) or not entry.get("source"):
            raise InputError(f"{path}: the list {name} has no source")
        texts = entry.get("words")
        if not isinstance(texts, list):
            raise InputError(f"{path}: the list {name} has no words")
        for text in texts:
            # a number may be a word; what holds others is none, and its text can be of any length
            parts = [text] if isinstance(text, list | dict) else str(text).split()
            found.update(_words(path, name, parts))
    return frozenset(found)


def read_listed(path: str | Path) -> pd.DataFrame:
    """Group words listed by hand: columns bias_type, group (one of GROUPS) and word.

    The file is YAML: source, and words: bias type -> {advantaged: [...], disadvantaged: [...]}; what else it
    may hold is for `read_listing`.
    Raises InputError for a file of another shape, an unknown group, a word in both groups of a bias type,
    or one that is not as words_of writes it.
    """
    facts = _mapping(path, read_yaml(path))
    if not facts.get("source"):
        raise InputError(f"{path}: it does not say the source of its words")
    rows: list[dict[str, str]] = []
    bias_types = Labels()
    for bias_type, lists in _mapping(path, facts.get("words"), "words").items():
        fault = fault_of(str(bias_type)) or bias_types.check(str(bias_type), "before it")
        if fault:
            raise InputError(f"{path}: words: {fault}")
        seen: set[str] = set()
        for group, words in _mapping(path, lists, f"words.{bias_type}").items():
            if group not in GROUPS:
                raise InputError(f"{path}: words.{bias_type}.{group}: a group is one of {', '.join(GROUPS)}")
            for word in _words(path, f"words.{bias_type}.{group}", words or []):
                if word in seen:
                    raise InputError(f"{path}: words.{bias_type}: {word!r} is there more than once")
                seen.add(word)
                rows.append({"bias_type": str(bias_type), "group": group, "word": word})
    return pd.DataFrame(rows, columns=["bias_type", "group", "word"])


def read_listing(path: str | Path) -> dict[str, Any]:
    """What a file of words listed by hand says of them, for the metadata of GROUP_WORDS.

    source; note, empty where there is none; mean_ranks: bias type -> group -> the mean rank that the source
    states, for the bias types of which it states any.
    Raises InputError as `read_listed` does, and for mean ranks of a bias type that has no words, or that are
    not one number for each group.
    """
    known = set(read_listed(path)["bias_type"])
    facts = _mapping(path, read_yaml(path))
    mean_ranks: dict[str, dict[str, float]] = {}
    for bias_type, ranks in _mapping(path, facts.get("mean_ranks", {}), "mean_ranks").items():
        place = f"mean_ranks.{bias_type}"
        if str(bias_type) not in known:
            raise InputError(f"{path}: {place}: no words are listed for this bias type")
        if not (isinstance(ranks, Mapping) and set(ranks) == set(GROUPS)):
            raise InputError(f"{path}: {place}: not one mean rank for each of {', '.join(GROUPS)}")
        for group, rank in ranks.items():
            if not _is_number(rank):
                raise InputError(f"{path}: {place}.{group}: {rank!r} is not a number")
        mean_ranks[str(bias_type)] = {group: float(ranks[group]) for group in GROUPS}
    return {
        "source": str(facts["source"]),
        "note": " ".join(str(facts.get("note", "")).split()),
        "mean_ranks": mean_ranks,
    }


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _mapping(path: str | Path, value: Any, place: str = "") -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"{path}: {place + ': ' if place else ''}not a mapping of words")
    return value


def _words(path: str | Path, place: str, words: object) -> Iterator[str]:
    if not isinstance(words, list):
        raise InputError(f"{path}: {place}: {_shown(words)} is not a list of words")
    for word in words:
        if not isinstance(word, str) or words_of(word) != [word]:
            raise InputError(f"{path}: {place}: {_shown(word)} is not one word in lower case")
        yield word


def _shown(value: object) -> str:
    return f"a {type(value).__name__}" if isinstance(value, list | dict) else repr(value)
