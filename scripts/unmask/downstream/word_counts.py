"""How often the data of tasks has feminine and masculine words (Table 1 of the paper).

ILPS = ln(P_f / P_m), the shares being those of the words of either list among all words of the data.
"""

import math
from collections.abc import Callable, Collection, Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import norm

from unmask.downstream.bias_items import words_in
from unmask.downstream.schema import WORD_COUNTS
from unmask.downstream.terms import TRAIN
from unmask.gendered_words import WordPairs
from unmask.tables import framed
from unmask.terms import CORRECTED, PUBLISHED

Words = Callable[[str], list[str]]

PROTOCOLS: Mapping[str, Words] = {PUBLISHED: lambda text: text.lower().split(), CORRECTED: words_in}
"""The words of a text: as the paper's code has them, punctuation stays where no space parts it off."""


def count_words(
    examples: pd.DataFrame, words: WordPairs, confidence: float, first: int | None = None
) -> pd.DataFrame:
    """The rows of WORD_COUNTS of a task, one a protocol.

    examples: as EXAMPLES; those of train count, in both of their sentences. first: published, the first so
    many of them alone (STS-B's others were lost). The interval takes examples as the unit, since words of one
    gender come together: by the delta method, the variance of ILPS is Σ_i (f_i / F - m_i / M)² over examples
    with f_i feminine and m_i masculine words, F and M in all.
    """
    train = examples[examples["part"] == TRAIN]
    rows = []
    for protocol, cut in PROTOCOLS.items():
        counted = train.iloc[:first] if protocol == PUBLISHED else train
        feminine, masculine = (_counts(counted, cut, side) for side in map(set, zip(*words, strict=True)))
        rows.append({"protocol": protocol, "n": len(counted), **ilps(feminine, masculine, confidence)})
    return framed(rows, WORD_COUNTS)


def _counts(examples: pd.DataFrame, cut: Words, words: Collection[str]) -> npt.NDArray[np.int64]:
    """How many of the words each example has, in both of its sentences."""
    texts = examples[["text", "second"]].fillna("").to_numpy().tolist()
    return np.array([sum(word in words for text in both for word in cut(text)) for both in texts], np.int64)


def ilps(
    feminine: npt.NDArray[np.int64], masculine: npt.NDArray[np.int64], confidence: float
) -> dict[str, float | int | None]:
    """ILPS of so many feminine and masculine words an example; null where one of both is nowhere."""
    women, men = int(feminine.sum()), int(masculine.sum())
    counts: dict[str, float | int | None] = {"feminine": women, "masculine": men}
    if not women or not men:
        return counts | dict.fromkeys(("ilps", "low", "high"))
    value = math.log(women / men)
    spread = math.sqrt(float(((feminine / women - masculine / men) ** 2).sum()))
    reach = float(norm.ppf(0.5 + confidence / 2)) * spread
    return counts | {"ilps": value, "low": value - reach, "high": value + reach}
