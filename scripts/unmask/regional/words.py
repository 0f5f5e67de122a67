"""The words that regions are described with: the paper's two lists, a user's own, and parts of them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unmask.errors import InputError
from unmask.labels import Labels
from unmask.regional.schema import WORDS
from unmask.regional.terms import FULL, REPLACE, SUBSTITUTED, WITHOUT
from unmask.regional.wording import check_list_name, fault_in
from unmask.strict_parsing import parse_yaml
from unmask.tables import framed
from unmask.user_documents import read_document


def read_words(
    lists: Mapping[str, str | Path | None], published: str | Path
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The lists of a study as a WORDS table, in their order, and the source of each.

    lists: name -> its file, or None for the paper's list of that name, which is in the file `published`.
    Raises InputError for a name that is none of the paper's lists, one that a set of words could have, and as
    the readers of files do.
    """
    if not lists:
        raise InputError("words: no list of words")
    frames, sources = [], {}
    for name, path in lists.items():
        check_list_name(name, path)
        if path is None:
            words, sources[name] = _read_published(published, name)
        else:
            words, sources[name] = read_list(path, name), Path(path).name
        frames.append(words)
    return pd.concat(frames, ignore_index=True), {"sources": sources}


def read_list(path: str | Path, name: str) -> pd.DataFrame:
    """A user's list: a YAML file of topic -> list of words. Both protocols have them as they are.

    Raises InputError naming the file and topic of what is no such list, and of a word twice in one topic.
    """
    rows: list[dict[str, str]] = []
    for topic, words in read_document(path, parse_yaml).items(fault_in):
        labels, seen = Labels(), set[str]()
        for number, part in enumerate(words.parts(), start=1):
            word = part.text(fault_in)
            fault = labels.check(word, f"word {number}")
            if fault or word in seen:
                raise part.fault(fault or f"{word!r} is there more than once")
            seen.add(word)
            rows.append({"list": name, "topic": topic, "word": word, "word_published": word})
    if len(rows) == 1:
        raise InputError(f"{path}: only one word, by which no two regions differ")
    return framed(rows, WORDS)


def _read_published(path: str | Path, name: str) -> tuple[pd.DataFrame, str]:
    """One of the paper's lists, with what the released code makes of its words, and where it is from."""
    facts = read_document(path, parse_yaml)
    rows = []
    for topic, words in facts["lists"][name].items():
        for entry in (part.value for part in words.parts()):
            word, published = (
                (entry["word"], entry["published"]) if isinstance(entry, dict) else (entry, entry)
            )
            rows.append({"list": name, "topic": topic, "word": word, "word_published": published})
    return framed(rows, WORDS), facts["source"].text()


def word_sets(words: pd.DataFrame) -> dict[str, NDArray[np.intp]]:
    """The sets of a WORDS table by name, each as rows of it (counted from 0) in the order of dimensions.

    `full`, the first list; `without-{topic}`, it without that topic, where at least two words are left (Table
    3 of the paper); `replace-{topic}`, it with that topic's words from the list `substituted`, where this is
    another one, of the same topics with as many words in each (Table 6); and every other list by its name.
    """
    lists = {str(name): rows for name, rows in words.reset_index(drop=True).groupby("list", sort=False)}
    first, *others = lists
    topics = _by_topic(lists[first])
    sets = {FULL: np.concatenate(list(topics.values()))}
    for topic in topics:
        rest = [rows for other, rows in topics.items() if other != topic]
        if sum(map(len, rest)) > 1:
            sets[WITHOUT + topic] = np.concatenate(rest)
    if SUBSTITUTED in others:
        substitutes = _by_topic(lists[SUBSTITUTED])
        if {topic: len(rows) for topic, rows in topics.items()} == {
            topic: len(rows) for topic, rows in substitutes.items()
        }:
            for topic in topics:
                sets[REPLACE + topic] = np.concatenate(
                    [substitutes[topic] if other == topic else rows for other, rows in topics.items()]
                )
    return sets | {name: lists[name].index.to_numpy() for name in others}


def _by_topic(rows: pd.DataFrame) -> dict[str, NDArray[np.intp]]:
    return {str(topic): places.index.to_numpy() for topic, places in rows.groupby("topic", sort=False)}
