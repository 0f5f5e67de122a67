"""How often an interval holds the truth, in worlds where that is known."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from library import (
    Floats,
    Sharing,
    contrast,
    modified_words,
    normal_quantile,
    proportion,
    read_benchmark,
    wilson,
)
from real_data import real_data

DRAWS = 1000
ERROR = 100 * np.sqrt(0.95 * 0.05 / DRAWS)
"""Standard error of a share near 95% among so many draws, in points."""
OF_WORDS = (0.0, 0.1, 0.3, 0.6)
"""How much of a margin's variance is that of its words, the same wherever they stand; the rest is its
pair's own."""
MEANS = (0.0, 0.7)
"""Mean margins, in standard deviations: half of the pairs decided for the stereotype, and three in four."""
NEAR_THE_EDGE = tuple(float(norm.ppf(truth)) for truth in (0.9, 0.95, 0.99))

Sides = Sequence[tuple[Sequence[str], Sequence[str]]]
"""The modified words of each pair, stereotype and antistereotype."""


def zipf(pairs: int, words: int) -> Sides:
    """One word a side out of so many, the k-th of a side 1/k times as often as its first."""
    chances = 1 / np.arange(1, words + 1)
    chosen = np.random.default_rng(0).choice(words, size=(pairs, 2), p=chances / chances.sum())
    return [([f"s{one}"], [f"a{other}"]) for one, other in chosen]


def real(format_: str, *place: str) -> Sides:
    pairs = read_benchmark(real_data(*place), {"format": format_})
    return [modified_words(*texts) for texts in pairs[["stereotype", "antistereotype"]].to_numpy().tolist()]


WORLDS: dict[str, Callable[[], Sides]] = {
    "500 pairs, 100 words a side": lambda: zipf(500, 100),
    "the words of CrowS-Pairs": lambda: real("crows-pairs", "crows_pairs", "crows_pairs_anonymized.csv"),
    "the words of StereoSet": lambda: real("stereoset", "stereoset", "dev.json"),
}


class World:
    """Draws of the margins of one world: its words' part, and the pairs' own, shape (pairs, draws)."""

    def __init__(self, sides: Sides) -> None:
        rng = np.random.default_rng(1)
        of_words = pd.DataFrame(
            [
                (row, word, sign)
                for row, pair in enumerate(sides)
                for side, sign in zip(pair, (1.0, -1.0), strict=True)
                for word in side
            ],
            columns=["row", "word", "sign"],
        )
        table = of_words.pivot_table("sign", "row", "word", "sum", 0.0)
        signed = table.reindex(range(len(sides)), fill_value=0.0).to_numpy()
        # every pair's words weigh the same
        signed = signed / np.maximum(np.linalg.norm(signed, axis=1, keepdims=True), 1e-9)
        self.sharing = Sharing.of([{*one, *other} for one, other in sides])
        self.lexical = signed @ rng.standard_normal((signed.shape[1], DRAWS))
        self.noise = rng.standard_normal((len(sides), DRAWS))

    def coverage(self, of_words: float, mean: float) -> tuple[float, pd.DataFrame, float]:
        """How many intervals of 100 hold the truth, these, and how many of Wilson's of independent pairs."""
        margins = np.sqrt(of_words) * self.lexical + np.sqrt(1 - of_words) * self.noise + mean
        preferred: Floats = (margins > 0).astype(float)
        truth, scores = float(norm.cdf(mean)), contrast(preferred, self.sharing)
        ends = proportion(scores, 0.95)
        # an end at 100 is 100 but for rounding
        inside = (ends["low"] <= 100 * truth + 1e-9) & (100 * truth <= ends["high"] + 1e-9)
        low, high = wilson(scores["estimate"], scores["n"], normal_quantile(0.95))
        known = ends["low"].notna()
        assert known.any()
        of_independent = 100 * np.mean((low <= truth) & (truth <= high))
        return 100 * inside[known].mean(), ends[known], float(of_independent)


@pytest.mark.thorough
@pytest.mark.parametrize("world", WORLDS)
def test_intervals_hold_the_truth(world: str) -> None:
    drawn = World(WORLDS[world]())
    for of_words in OF_WORDS:
        for mean in (*MEANS, *NEAR_THE_EDGE):
            coverage, _, of_independent = drawn.coverage(of_words, mean)
            assert coverage >= 93 - 2 * ERROR, (of_words, mean)
            if mean in MEANS:
                assert coverage <= 97 + 2 * ERROR, (of_words, mean)
                assert of_independent < 93 or of_words < 0.2


@pytest.mark.parametrize("pairs", [5, 20])
@pytest.mark.parametrize("count", [3, 4, 5, 10, 20, 50])
def test_few_words_make_no_interval_too_narrow(count: int, pairs: int) -> None:
    """So many word pairs of so many pairs each, up to where words decide everything, and truths up to 99;
    among them no bias at all: 50."""
    drawn = World([([f"s{word}"], [f"a{word}"]) for word in range(count) for _ in range(pairs)])
    for of_words in (*OF_WORDS, 0.9, 1.0):
        for mean in (*MEANS, *NEAR_THE_EDGE):
            coverage, ends, _ = drawn.coverage(of_words, mean)
            assert coverage >= 93 - 2 * ERROR, (of_words, mean)
            if mean == 0:
                false = (ends["low"] > 50).mean() + (ends["high"] < 50).mean()
                assert false <= (5 + 3 * ERROR) / 100
