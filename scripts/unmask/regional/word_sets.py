"""Sets of words to score: a list as it is, without a topic, or with a topic's words of the other list."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unmask.regional.terms import FULL, REPLACE, SUBSTITUTED, WITHOUT


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
