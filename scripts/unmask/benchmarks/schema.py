"""The tables that a benchmark is read into: its pairs, and the labels of their sentences."""

from collections import Counter
from collections.abc import Mapping

import pandas as pd

from unmask.tables import schema

PAIRS = schema(
    """
    pair_id         text     the pair, as its source numbers it
    bias_type       text     what the stereotype is about, such as gender, in the words of the source
    stereotype      text     the sentence that states the stereotype
    antistereotype  text     the other sentence of the pair
    unrelated       text?    a sentence that has nothing to do with either; null where there is none
    direction       text?    stereo or antistereo: whether the pair states a stereotype or goes against one;
                             null where the source does not say
    ratings         text[]?  one entry a validator: the bias type chosen, null for none; null where there were
                             no validators
    context         text?    the text before the sentences, where the source has one
    target          text?    whom or what the pair is about, where the source says so
    writer          text?    who wrote the pair, where the source says so
    """
)
"""One row per pair of a benchmark, in the order of its source."""

LABELS = schema(
    """
    pair_id  text  the pair
    role     word  what the sentence is in its pair: stereotype, antistereotype or unrelated
    label    word  what annotators took it for: one of these, or another word of the source
    votes    i16   how many annotators gave this label
    """
)
"""One row per sentence and label that it was given, in the order of the source. They are no part of PAIRS, of
which models are run: what people said of a sentence changes no evidence."""


def by_sentence(labels: pd.DataFrame) -> Mapping[tuple[str, str], Mapping[str, int]]:
    """How many annotators gave each label (LABELS), by pair and role."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    columns = (labels[name].tolist() for name in LABELS.names)
    for pair, role, label, votes in zip(*columns, strict=True):
        counts.setdefault((pair, role), Counter())[label] += votes
    return counts
