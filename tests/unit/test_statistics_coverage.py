"""How often an interval holds the truth, in planted worlds where that is known.

UNMASK_COVERAGE_TABLE    a file to which rows of the table of docs/chance.md are added
UNMASK_COVERAGE_DRAWS    how many times each world is drawn; 1000 unless said
"""

import os
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from scipy.stats import norm

from real_data import real_data
from unmask.benchmarks.reading import read_benchmark
from unmask.statistics.dependence import Dependence, Variance
from unmask.statistics.intervals import Floats, clustered_interval, wilson
from unmask.statistics.shared_words import modified_characters
from unmask.words import modified_words

DRAWS = int(os.environ.get("UNMASK_COVERAGE_DRAWS", "1000"))
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
    return [
        modified_words(*texts) for texts in zip(pairs["stereotype"], pairs["antistereotype"], strict=True)
    ]


def word_pairs(count: int, pairs: int) -> Sides:
    """So many word pairs, each of which so many pairs of sentences have."""
    return [([f"s{word}"], [f"a{word}"]) for word in range(count) for _ in range(pairs)]


def of_characters(pairs: int, signs: int) -> Sides:
    """Sentences without spaces, whose sides differ in two characters each, the k-th 1/√k times as common."""
    chances = 1 / np.sqrt(np.arange(1, signs + 1))
    chosen = np.random.default_rng(0).choice(signs, size=(pairs, 2, 2), p=chances / chances.sum())
    first = (0x5000, 0x7000)
    return [
        modified_characters(
            *(
                f"他们说{''.join(chr(start + sign) for sign in side)}很好。"
                for start, side in zip(first, pair, strict=True)
            )
        )
        for pair in chosen
    ]


WORLDS: dict[str, Callable[[], Sides]] = {
    "500 pairs, 100 words a side": lambda: zipf(500, 100),
    "2000 pairs, 1000 words a side": lambda: zipf(2000, 1000),
    "1500 pairs, 2 of 1000 characters a side": lambda: of_characters(1500, 1000),
    "the words of CrowS-Pairs": lambda: real("crows-pairs", "crows_pairs", "crows_pairs_anonymized.csv"),
    "the words of StereoSet": lambda: real("stereoset", "stereoset", "dev.json"),
}


FEW_WORDS = (3, 4, 5, 10, 20, 50)


class World:
    """Draws of the margins of one world: its words' part, and the pairs' own."""

    def __init__(self, sides: Sides) -> None:
        rng = np.random.default_rng(1)
        words = sorted({word for pair in sides for side in pair for word in side})
        number = {word: place for place, word in enumerate(words)}
        signed = np.zeros((len(sides), len(words)), dtype=np.float32)
        for row, (one, other) in enumerate(sides):
            for side, sign in ((one, 1), (other, -1)):
                for word in side:
                    signed[row, number[word]] += sign
        # every pair's words weigh the same
        signed /= np.maximum(np.linalg.norm(signed, axis=1, keepdims=True), 1e-9)
        self.dependence = Dependence.of([{*one, *other} for one, other in sides])
        self.lexical = signed @ rng.standard_normal((len(words), DRAWS), dtype=np.float32)
        self.noise = rng.standard_normal((len(sides), DRAWS), dtype=np.float32)

    def decisions(self, of_words: float, mean: float) -> Floats:
        """Shape (pairs, draws): a margin is a mean plus the scores of its words, less those of the
        other side, plus noise of its own."""
        margins = np.sqrt(of_words) * self.lexical + np.sqrt(1 - of_words) * self.noise + mean
        preferred: Floats = (margins > 0).astype(np.float64)
        return preferred

    def intervals(self, preferred: Floats) -> tuple[Variance, Floats, Floats]:
        """The variances of the scores, and the ends of their intervals in percent."""
        n = len(preferred)
        share = preferred.mean(axis=0)
        found = self.dependence.variance(preferred - share, np.full(n, 1 / n), np.zeros(n, np.int64))
        low, high = clustered_interval(
            share,
            n,
            found.effect(),
            self.dependence.largest_effect(),
            self.dependence.effective_size(preferred),
            found.df,
            0.95,
        )
        return found, low, high


def add_row(
    world: str, of_words: float, truth: float, preferred: Floats, effect: float, *last: float
) -> None:
    """Add a row to the table of docs/chance.md, if there is to be one."""
    if table := os.environ.get("UNMASK_COVERAGE_TABLE"):
        cells = (world, f"{of_words:.0%}", f"{truth:.1f}", f"{100 * preferred.mean(axis=0).std():.1f}",
                 f"{effect:.1f}", *(f"{share:.1f}" for share in last))  # fmt: skip
        with open(table, "a", encoding="utf-8") as file:
            file.write(f"| {' | '.join(cells)} |\n")


def of_independent(preferred: Floats, truth: float) -> float:
    """The coverage of Wilson's interval of independent pairs, in percent."""
    n = len(preferred)
    intervals = [wilson(count, n, 0.95) for count in preferred.sum(axis=0)]
    return float(100 * np.mean([low <= truth <= high for low, high in intervals]))


@pytest.mark.long
@pytest.mark.parametrize("world", WORLDS)
def test_intervals_hold_the_truth(world: str) -> None:
    drawn = World(WORLDS[world]())
    for of_words in OF_WORDS:
        for mean in (*MEANS, *NEAR_THE_EDGE):
            truth = 100 * float(norm.cdf(mean))
            preferred = drawn.decisions(of_words, mean)
            found, low, high = drawn.intervals(preferred)
            known = ~np.isnan(low)
            coverage = float(100 * np.mean(((low <= truth) & (truth <= high))[known]))
            of_plain, unknown = of_independent(preferred, truth), float(100 * (~known).mean())
            effect = float(np.nanmedian(found.effect()))
            add_row(world, of_words, truth, preferred, effect, of_plain, coverage, unknown)
            assert coverage >= 93 - 2 * ERROR, (of_words, mean)
            if mean in MEANS:
                assert coverage <= 97 + 2 * ERROR, (of_words, mean)
                assert of_plain < 93 or of_words < 0.2


@pytest.mark.parametrize("pairs", [5, 20])
@pytest.mark.parametrize("count", FEW_WORDS)
def test_few_words_make_no_interval_too_narrow(count: int, pairs: int) -> None:
    """Up to where words decide everything, and truths up to 99; among them no bias at all: 50."""
    drawn = World(word_pairs(count, pairs))
    for of_words in (*OF_WORDS, 0.9, 1.0):
        for mean in (*MEANS, *NEAR_THE_EDGE):
            truth = 100 * float(norm.cdf(mean))
            preferred = drawn.decisions(of_words, mean)
            found, low, high = drawn.intervals(preferred)
            known = ~np.isnan(low)
            # an end at 100 is 100 but for rounding
            inside = (low <= truth + 1e-9) & (truth <= high + 1e-9)
            coverage, unknown = float(100 * np.mean(inside[known])), float(100 * (~known).mean())
            if pairs == 20:
                effect = found.effect()
                median = float(np.median(np.where(np.isnan(effect), pairs, effect)))
                last = (
                    (of_independent(preferred, truth), coverage, unknown)
                    if "UNMASK_COVERAGE_TABLE" in os.environ
                    else ()
                )
                add_row(f"{count} word pairs × {pairs}", of_words, truth, preferred, median, *last)
            assert known.any()
            assert coverage >= 93 - 2 * ERROR, (of_words, mean)
            if mean == 0:
                assert np.mean(low[known] > 50) + np.mean(high[known] < 50) <= (5 + 3 * ERROR) / 100
