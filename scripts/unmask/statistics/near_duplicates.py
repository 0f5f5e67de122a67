"""Near-duplicates among sets of words: all of them, found without holding every set against every other."""

import math
from collections import Counter
from collections.abc import Collection, Sequence

ALIKE = 0.8
"""Of all words of two sets so many are in both where the one is a near-duplicate of the other."""


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
    found: list[int | None] = []
    kept: dict[int, frozenset[int]] = {}
    with_word: dict[int, list[int]] = {}
    for number, words in enumerate(sets):
        own = frozenset(order[word] for word in words)
        # a set with `alike` of its words in common with another has one of its first so many in common
        rarest = sorted(own)[: len(own) - math.ceil(_exactly(alike * len(own))) + 1] if own else []
        candidates = sorted({other for word in rarest for other in with_word.get(word, ())})
        first = next((other for other in candidates if _alike(own, kept[other], alike)), None)
        found.append(first)
        if first is None:
            kept[number] = own
            for word in rarest:
                with_word.setdefault(word, []).append(number)
    return found


def _alike(one: frozenset[int], other: frozenset[int], alike: float) -> bool:
    shared = len(one & other)
    return shared >= _exactly(alike * (len(one) + len(other) - shared))


def _exactly(product: float) -> float:
    """A product without the error of its last digits: 0.8 of 10 words are 8 of them."""
    return round(product, 9)
