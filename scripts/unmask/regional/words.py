"""The words that regions are described with: the paper's two lists, a user's own, and parts of them."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from numpy.typing import NDArray

from unmask.errors import InputError
from unmask.regional.schema import WORDS
from unmask.regional.terms import FULL, REPLACE, SUBSTITUTED, WITHOUT
from unmask.tables import framed
from unmask.user_files import fault_of, parse_yaml, read_document, text_of
from unmask.user_tables import Column, Table


def fault_in(text: str) -> str | None:
    """Why a text can be no name, word, level or topic, if so."""
    if text != text.strip():
        return f"{text!r} has spaces around it"
    return f"{text!r} has a brace in it" if {*"{}"} & {*text} else fault_of(text)


NAME = partial(text_of, fault_in=fault_in)
"""Reads a name, word, level or topic."""


def read_words(
    lists: Mapping[str, str | Path | None], published: str | Path
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The lists of a study as a WORDS table, in their order, and the source of each.

    lists: name -> its file, or None for the paper's list of that name, which is in the file `published`.
    Raises InputError as `read_list` does.
    """
    facts = yaml.safe_load(Path(published).read_text(encoding="utf-8"))
    frames = [
        read_list(path, name) if path else _published_list(facts["lists"][name], name)
        for name, path in lists.items()
    ]
    sources = {name: Path(path).name if path else facts["source"] for name, path in lists.items()}
    return pd.concat(frames, ignore_index=True), {"sources": sources}


def read_list(path: str | Path, name: str) -> pd.DataFrame:
    """A user's list: a YAML file of topic -> list of words. All protocols have them as they are.

    Raises InputError naming the file and topic of what is no such list, and of a word twice in one topic.
    """
    rows: list[dict[str, str]] = []
    topics = Table([Column("topic", NAME, required=True, label=True)])
    for topic, words in read_document(path, parse_yaml).mapping().items():
        topics.check(path, "a key", {"topic": topic})
        of_topic = Table([Column("word", NAME, required=True, key=True, label=True)])
        for number, part in enumerate(words.parts(), start=1):
            word = of_topic.check(path, f"{topic}.{number}", {"word": part.value})["word"]
            rows.append({"list": name, "topic": topic, "word": word, "word_published": word})
    if len(rows) == 1:
        raise InputError(f"{path}: only one word, by which no two regions differ")
    return framed(rows, WORDS)


def _published_list(topics: Mapping[str, list[Any]], name: str) -> pd.DataFrame:
    """One of the paper's lists, with what the released code makes of its words."""
    rows = []
    for topic, words in topics.items():
        for each in words:
            word = each if isinstance(each, dict) else {"word": each, "published": each}
            rows.append((name, topic, word["word"], word["published"]))
    return pd.DataFrame(rows, columns=WORDS.names)


def word_sets(words: pd.DataFrame) -> dict[str, NDArray[np.intp]]:
    """The sets of a WORDS table by name, each as rows of it (counted from 0) in the order of dimensions.

    `full`, the first list; `without-{topic}`, it without that topic, where at least two words are left (Table
    3 of the paper); `replace-{topic}`, it with that topic's words from the list `substituted`, where this is
    another one, of the same topics with as many words in each (Table 6); and every other list by its name.
    """
    lists = {str(name): rows for name, rows in words.reset_index(drop=True).groupby("list", sort=False)}
    whole = lists.pop(words["list"].iloc[0])
    sets, topics = {FULL: whole}, whole["topic"].unique()
    for topic in topics:
        if len(rest := whole[whole["topic"] != topic]) > 1:
            sets[WITHOUT + topic] = rest
    substitutes = lists.get(SUBSTITUTED, whole[:0])
    if whole["topic"].value_counts().to_dict() == substitutes["topic"].value_counts().to_dict():
        for topic in topics:
            parts = [(substitutes if each == topic else whole).query("topic == @each") for each in topics]
            sets[REPLACE + topic] = pd.concat(parts)
    return {name: rows.index.to_numpy() for name, rows in (sets | lists).items()}
