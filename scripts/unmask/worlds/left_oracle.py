"""The exact answers from left context: what a perfect causal language model of a world would say.

It knows the grammar, and predicts each word (not subtoken) behind those before it. It does not know how long
the sentence is. The start of a sentence stands for the start token.
"""

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from unmask.worlds.grammar import World, modified_words

Words = tuple[str, ...]


class LeftOracle:
    """Exact conditional probabilities from left context, by enumeration of a world's sentences."""

    def __init__(self, world: World) -> None:
        self._world = world

    def log_probs(self, words: Sequence[str]) -> list[float]:
        """log P(word at i | the words before it), for each place i, in natural logarithms.

        They add up to the logarithm of the sentence's probability: no sentence of the grammar begins another.
        Raises ValueError where no sentence of the grammar begins with these words.
        """
        masses = [self._beginnings.get(tuple(words[:end]), 0.0) for end in range(len(words) + 1)]
        if not masses[-1] > 0:
            raise ValueError(f"no sentence of the grammar begins with {' '.join(words)!r}")
        return [math.log(with_it) - math.log(before) for before, with_it in pairwise(masses)]

    def margins(self, stereotype: Sequence[str], antistereotype: Sequence[str]) -> dict[str, float]:
        """Stereotype minus antistereotype of LL, LLMean, CCPS, CSSS, CSSSPrior and StartAlone, by words.

        CCPS is nan where the sides differ and share nothing behind the first difference, CSSS where one side
        has no modified word, CSSSPrior and StartAlone where a word that they read begins no sentence.
        """
        sides = stereotype, antistereotype
        of_sides = modified_words(*sides)
        difference = min((places[0] for places in of_sides if places), default=None)
        scores = [
            self._scores(words, modified, difference) for words, modified in zip(sides, of_sides, strict=True)
        ]
        return {name: score - scores[1][name] for name, score in scores[0].items()}

    def _scores(
        self, words: Sequence[str], modified: Sequence[int], difference: int | None
    ) -> dict[str, float]:
        left = np.array(self.log_probs(words))
        mass = self._beginnings
        alone = np.array([math.log(mass[word,]) if (word,) in mass else math.nan for word in words])
        shared = [place for place in range(len(words)) if place not in modified]
        follows = difference is None or any(place > difference for place in shared)
        changed = list(modified)
        return {
            "LL": float(left.sum()),
            "LLMean": float(left.mean()),
            "CCPS": float(left[shared].sum()) if follows else math.nan,
            "CSSS": float(left[changed].mean()) if changed else math.nan,
            "CSSSPrior": float((left - alone)[changed].mean()) if changed else math.nan,
            "StartAlone": float(alone.mean()),
        }

    @cached_property
    def _beginnings(self) -> dict[Words, float]:
        """The probability that a sentence begins with each sequence of words that begins one."""
        parts: dict[Words, list[float]] = {}
        for words, probability in self._world.sentences:
            for end in range(len(words) + 1):
                parts.setdefault(words[:end], []).append(probability)
        return {words: math.fsum(masses) for words, masses in parts.items()}
