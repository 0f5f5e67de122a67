"""The leverage of single words: how far a score depends on the pairs of a few."""

import numpy as np
import pandas as pd

from unmask.statistics.decisions import Decisions
from unmask.statistics.options import WORDS
from unmask.statistics.schema import LEVERAGE
from unmask.statistics.shared_words import nodes_of
from unmask.tables import framed

WORDS_SHOWN = 10


def leverage_table(pairs: pd.DataFrame, decisions: Decisions) -> pd.DataFrame:
    """The words that hold each score furthest from 50, as unmask.statistics.schema.LEVERAGE.

    Leaving a word out leaves out every pair that it is a modified word of. The words of a measure and
    protocol are those that bring the score furthest towards 50 and past it when each is left out alone;
    rank 1 brings it furthest. A word of all pairs has no score without it and is passed over.
    """
    credit, trials = decisions.credit(), decisions.trials()
    numbers: dict[str, list[int]] = {}
    for row, nodes in enumerate(nodes_of(pairs, [WORDS])):
        for _, word in nodes:
            numbers.setdefault(word, []).append(row)
    words = sorted(numbers)
    rows: list[dict[str, object]] = []
    for column, (measure, protocol) in enumerate(decisions.series):
        n, total = trials[:, column].sum(), credit[:, column].sum()
        if not n:
            continue
        score = 100 * total / n
        of_words = [np.array(numbers[word]) for word in words]
        left = n - np.array([trials[members, column].sum() for members in of_words])
        credit_left = total - np.array([credit[members, column].sum() for members in of_words])
        with np.errstate(invalid="ignore", divide="ignore"):
            alone = 100 * credit_left / left
        toward = (alone - score) * np.sign(50 - score)
        order = [
            place for place in np.argsort(-toward, kind="stable") if left[place] > 0 and toward[place] > 0
        ]
        out = np.zeros(len(pairs), dtype=bool)
        for rank, place in enumerate(order[:WORDS_SHOWN], start=1):
            out[of_words[place]] = True
            remaining = trials[~out, column].sum()
            if not remaining:
                break
            rows.append(
                {
                    "measure": measure,
                    "protocol": protocol,
                    "rank": rank,
                    "word": words[place],
                    "pairs": len(of_words[place]),
                    "score": score,
                    "without": alone[place],
                    "without_all": 100 * credit[~out, column].sum() / remaining,
                    "left": int(remaining),
                }
            )
    return framed(rows, LEVERAGE)
