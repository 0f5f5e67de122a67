"""The words that regions are described with: the paper's two lists, and a user's own."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.errors import InputError
from unmask.labels import Labels
from unmask.regional.schema import WORDS
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


def remarks_on_words(words: pd.DataFrame) -> list[str]:
    """Sentences on words of a WORDS table that stand more than once in a list: each is so many dimensions."""
    remarks = []
    for name, rows in words.groupby("list", sort=False):
        numbers = Counter(zip(rows["topic"], rows["word"], strict=True))
        twice = [f"{word} ({topic})" for (topic, word), number in numbers.items() if number > 1]
        if twice:
            remarks.append(
                f"In the list {name}, words stand more than once in one topic: {', '.join(twice)}."
            )
        topics = defaultdict(list)
        for topic, word in numbers:
            topics[word].append(topic)
        several = [f"{word} ({', '.join(those)})" for word, those in topics.items() if len(those) > 1]
        if several:
            remarks.append(f"In the list {name}, words stand under several topics: {', '.join(several)}.")
    return remarks
