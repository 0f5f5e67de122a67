"""The table that a benchmark is read into."""

from collections import Counter
from collections.abc import Iterable

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
    labels          text[]?  one entry a label that an annotator gave a sentence: what the sentence is in its
                             pair, and what it was taken for, as in `stereotype: unrelated`; null where
                             nobody was asked
    context         text?    the text before the sentences, where the source has one
    target          text?    whom or what the pair is about, where the source says so
    writer          text?    who wrote the pair, where the source says so
    """
)
"""One row per pair of a benchmark, in the order of its source."""


def labels_of(labels: Iterable[str] | None) -> dict[str, Counter[str]]:
    """How many annotators gave each label, of the `labels` of a pair, by the role of the sentence."""
    counts: dict[str, Counter[str]] = {}
    for each in () if labels is None else labels:
        role, _, label = each.partition(": ")
        counts.setdefault(role, Counter())[label] += 1
    return counts
