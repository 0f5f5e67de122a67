"""The exact answers: what a perfect masked language model of a world would say.

It knows the grammar and the length of the sentence, and predicts words (not subtokens).
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unmask.worlds.grammar import World, modified_words


class Oracle:
    """Exact conditional probabilities under the grammar, by enumeration of its sentences."""

    def __init__(self, world: World) -> None:
        self._ids = {word: i for i, word in enumerate(world.words)}
        by_length: dict[int, list[tuple[list[int], float]]] = {}
        for words, probability in world.sentences:
            by_length.setdefault(len(words), []).append(([self._ids[word] for word in words], probability))
        self._tables: dict[int, tuple[NDArray[np.int64], NDArray[np.float64]]] = {
            length: (np.array([ids for ids, _ in rows]), np.array([p for _, p in rows]))
            for length, rows in by_length.items()
        }

    def log_probs(self, words: Sequence[str], hidden: Sequence[int]) -> list[float]:
        """log P(word at i | the words not hidden, the length), for each position i of `hidden`.

        Natural logarithms; minus infinity for a word that cannot stand there.
        Raises ValueError where no sentence of the grammar has the visible words.
        """
        if len(words) not in self._tables:
            raise ValueError(f"no sentence of the grammar has {len(words)} words")
        table, probabilities = self._tables[len(words)]
        ids = np.array([self._ids.get(word, -1) for word in words])
        visible = np.ones(len(words), dtype=bool)
        visible[list(hidden)] = False
        fits = (table[:, visible] == ids[visible]).all(axis=1)
        table, probabilities = table[fits], probabilities[fits]
        total = probabilities.sum()
        if not total > 0:
            raise ValueError(f"no sentence of the grammar has the visible words of {' '.join(words)!r}")
        shares = (float(probabilities[table[:, i] == ids[i]].sum() / total) for i in hidden)
        return [math.log(share) if share > 0 else -math.inf for share in shares]

    def margins(self, stereotype: Sequence[str], antistereotype: Sequence[str]) -> dict[str, float]:
        """Stereotype minus antistereotype of CPS, SSS and All-Masked (mean).

        CPS(S) = Σ_{w shared} log P(w | all else); SSS(S) = mean over the modified words of log P(w | shared);
        AllMasked(S) = mean over all words of log P(w | length).
        """

        def scores(words: Sequence[str], modified: Sequence[int]) -> NDArray[np.float64]:
            shared = [i for i in range(len(words)) if i not in modified]
            cps = sum(self.log_probs(words, [i])[0] for i in shared)
            sss = np.mean(self.log_probs(words, modified))
            all_masked = np.mean(self.log_probs(words, range(len(words))))
            return np.array([cps, sss, all_masked])

        of_stereotype, of_antistereotype = modified_words(stereotype, antistereotype)
        margins = scores(stereotype, of_stereotype) - scores(antistereotype, of_antistereotype)
        return dict(zip(("CPS", "SSS", "AllMasked"), margins.tolist(), strict=True))
