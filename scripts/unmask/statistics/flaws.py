"""What may be wrong with the pairs of a benchmark.

It is looked for where a benchmark is read, so nothing of measures and scores is imported here: a change of
these reads no benchmark, and no evidence, again.
"""

from collections.abc import Collection, Iterator

import pandas as pd

from unmask.benchmarks.schema import labels_of
from unmask.statistics.schema import FLAWS, UNRATED
from unmask.terms import ANTISTEREOTYPE, SIDES, STEREOTYPE
from unmask.words import modified_words, words_of

MANY = 3
"""A pair whose sentences differ in more words than so many is no minimal pair."""

FIELDS = ("unrelated", "direction", "context", "target", "writer")
"""What a pair of the Pairs table may lack."""


def flaws_table(pairs: pd.DataFrame) -> pd.DataFrame:
    """The flaws of each pair (PAIRS), as unmask.statistics.schema.FLAWS.

    few_votes: no more than half of those who rated the pair chose its own bias type; where sentences were
    labelled, no more than half of those who labelled either of the two called it what it is in the pair.
    no_votes: nobody rated or labelled it, though other pairs of the benchmark were; no flaw.
    near_duplicate: both sentences together have the words of a pair before it. identical: both sentences are
    the same. unequal_words: they have different numbers of words. many_words: more than MANY words of either
    are not the other's (modified_words). missing_field: it lacks one of FIELDS that another pair has.
    """
    texts = list(zip(pairs[STEREOTYPE], pairs[ANTISTEREOTYPE], strict=True))
    sides = [(words_of(one), words_of(other)) for one, other in texts]
    of_both = pd.Series([frozenset((*one, *other)) for one, other in sides], dtype=object)
    some = [name for name in FIELDS if pairs[name].notna().any()]
    votes = list(_votes(pairs))
    columns = {
        "pair_id": pairs["pair_id"].to_numpy(object),
        "few_votes": [any(2 * agree <= n for agree, n in of) if of else None for of in votes],
        # of a benchmark that nobody rated it cannot be said
        UNRATED: [not of for of in votes] if any(votes) else None,
        # a pair of signs alone is like none
        "near_duplicate": of_both.duplicated().to_numpy() & of_both.map(bool).to_numpy(bool),
        "identical": [one == other for one, other in texts],
        "unequal_words": [len(one) != len(other) for one, other in sides],
        "many_words": [max(map(len, modified_words(*both))) > MANY for both in texts],
        "missing_field": pairs[some].isna().any(axis=1).to_numpy(bool),
    }
    return pd.DataFrame(columns, columns=FLAWS.names, dtype=object)


def _votes(pairs: pd.DataFrame) -> Iterator[list[tuple[int, int]]]:
    """Of the raters of each pair, and of those who labelled either sentence, how many agree, of how
    many; nothing of none."""
    for bias_type, ratings, labels in zip(pairs["bias_type"], pairs["ratings"], pairs["labels"], strict=True):
        of_sides = labels_of(labels if isinstance(labels, Collection) else None)
        counts = [(votes[side], votes.total()) for side, votes in of_sides.items() if side in SIDES]
        if isinstance(ratings, Collection):
            counts.append((sum(each == bias_type for each in ratings), len(ratings)))
        yield [(agree, n) for agree, n in counts if n]
