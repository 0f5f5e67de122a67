"""What may be wrong with a pair, as far as the benchmark itself says it."""

import math
from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.benchmarks.labelled import by_sentence
from unmask.statistics.schema import FLAWS, PAIR_FLAWS, UNRATED
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE
from unmask.words import modified_words, words_of

MANY = 3
"""A pair whose sentences differ in more words than so many is no minimal pair."""

FIELDS = ("unrelated", "direction", "context", "target", "writer")
"""What a pair of the Pairs table may lack."""

ALIKE = 0.8
"""Of all words of two sets so many are in both where the one is a near-duplicate of the other."""

Flags = npt.NDArray[np.bool_]


def flaws_table(pairs: pd.DataFrame, labels: pd.DataFrame | None = None) -> pd.DataFrame:
    """The flaws of each pair (PAIRS), as unmask.statistics.schema.FLAWS; labels: LABELS, if there are any.

    few_votes: no more than half of those who rated the pair chose its own bias type; where sentences were
    labelled, no more than half of those who labelled either of the two called it what it is in the pair.
    no_votes: nobody rated or labelled it, though other pairs of the benchmark were; no flaw.
    near_duplicate: of a pair before it (near_duplicates, of the words of both sentences together, so that
    sentences may have changed sides). identical: both sentences are the same. unequal_words: they have
    different numbers of words. many_words: more than MANY words of either are not the other's
    (modified_words). missing_field: it lacks
    one of FIELDS that another pair has.
    """
    texts = list(zip(pairs[STEREOTYPE], pairs[ANTISTEREOTYPE], strict=True))
    sides = [(words_of(one), words_of(other)) for one, other in texts]
    changed = [modified_words(one, other) for one, other in texts]
    like = near_duplicates([{*one, *other} for one, other in sides])
    ids = pairs["pair_id"].to_numpy(object)
    some = [name for name in FIELDS if pairs[name].notna().any()]
    agreed, voted = _votes(pairs, labels)
    columns = {
        "pair_id": ids,
        "few_votes": [not agrees if known else None for agrees, known in zip(agreed, voted, strict=True)],
        # of a benchmark that nobody rated it cannot be said
        UNRATED: ~voted if voted.any() else None,
        "near_duplicate": [place is not None for place in like],
        "near_duplicate_of": [None if place is None else ids[place] for place in like],
        "identical": [one == other for one, other in texts],
        "unequal_words": [len(one) != len(other) for one, other in sides],
        "many_words": [max(map(len, both)) > MANY for both in changed],
        "missing_field": pairs[some].isna().any(axis=1).to_numpy(bool),
    }
    return pd.DataFrame(columns, columns=FLAWS.names, dtype=object)


def _votes(pairs: pd.DataFrame, labels: pd.DataFrame | None) -> tuple[Flags, Flags]:
    """Whether most of those who judged a pair agree with it, and whether anyone judged it."""
    agreed, voted = [], []
    of_sentences = {} if labels is None else by_sentence(labels)
    every = pairs["ratings"].where(pairs["ratings"].notna(), None)
    for pair, bias_type, ratings in zip(pairs["pair_id"], pairs["bias_type"], every, strict=True):
        counts = [(sum(each == bias_type for each in ratings), len(ratings))] if ratings is not None else []
        counts += [
            (labelled[role], labelled.total())
            for role in (STEREOTYPE, ANTISTEREOTYPE)
            if (labelled := of_sentences.get((pair, role)))
        ]
        counts = [(with_it, all_) for with_it, all_ in counts if all_]
        agreed.append(all(2 * with_it > all_ for with_it, all_ in counts))
        voted.append(bool(counts))
    return np.array(agreed, dtype=bool), np.array(voted, dtype=bool)


def flags(flaws: pd.DataFrame, names: Sequence[str] = (*PAIR_FLAWS, UNRATED)) -> dict[str, Flags]:
    """Which pairs have each of these flaws (FLAWS), or are unrated, without what cannot be said of any."""
    return {name: flaws[name].eq(True).to_numpy(bool) for name in names if flaws[name].notna().any()}


def near_duplicates(sets: Sequence[Collection[str]], alike: float = ALIKE) -> list[int | None]:
    """For each set the number of one before it that it is a near-duplicate of; None where it is of none.

    Two sets are near-duplicates where their Jaccard similarity (their resemblance: Broder 1997), the number
    of words in both over that of words in any, is at least `alike`. The earlier one is always one that is
    itself a near-duplicate of none: of several that are alike the first stays, and all others lead to one
    that stays. A set without words is a near-duplicate of none.

    Sets so much alike share one of their rarest words (prefix filter: Chaudhuri, Ganti & Kaushik 2006;
    Bayardo, Ma & Srikant 2007), so only those that share one of these are compared.
    """
    often = Counter(word for words in sets for word in set(words))
    order = {word: place for place, word in enumerate(sorted(often, key=lambda word: (often[word], word)))}
    earlier: list[int | None] = []
    originals: dict[int, frozenset[int]] = {}
    with_word: dict[int, list[int]] = {}
    for number, members in enumerate(sets):
        places = frozenset(order[word] for word in members)
        # a set with `alike` of its words in common with another has one of its first so many in common
        many = math.ceil(_exactly(alike * len(places)))
        rarest = sorted(places)[: len(places) - many + 1] if places else []
        candidates = sorted({other for word in rarest for other in with_word.get(word, ())})
        first = next((other for other in candidates if _alike(places, originals[other], alike)), None)
        earlier.append(first)
        if first is None:
            originals[number] = places
            for word in rarest:
                with_word.setdefault(word, []).append(number)
    return earlier


def _alike(one: frozenset[int], other: frozenset[int], alike: float) -> bool:
    shared = len(one & other)
    return shared >= _exactly(alike * (len(one) + len(other) - shared))


def _exactly(product: float) -> float:
    """A product without the error of its last digits: 0.8 of 10 words are 8 of them."""
    return round(product, 9)
