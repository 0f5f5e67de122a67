"""How often an interval holds the truth, in planted worlds where that is known.

UNMASK_COVERAGE_TABLE    a file to which rows of the table of docs/chance.md are added
UNMASK_COVERAGE_DRAWS    how many times each world is drawn; 1000 unless said, 10000 for that table
"""

import os
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from scipy.stats import norm

from real_data import real_data
from unmask.benchmarks.reading import read_benchmark
from unmask.statistics.dependence import Dependence
from unmask.statistics.intervals import effective_wilson, wilson
from unmask.statistics.nodes import modified_words

DRAWS = int(os.environ.get("UNMASK_COVERAGE_DRAWS", "1000"))
ERROR = 100 * np.sqrt(0.95 * 0.05 / DRAWS)
"""Standard error of a share near 95% among so many draws, in points."""
OF_WORDS = (0.0, 0.1, 0.3, 0.6)
"""How much of a margin's variance is that of its words, the same wherever they stand; the rest is its
pair's own."""
MEANS = (0.0, 0.7)
"""Mean margins, in standard deviations: half of the pairs decided for the stereotype, and three in four."""

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


WORLDS: dict[str, Callable[[], Sides]] = {
    "500 pairs, 100 words a side": lambda: zipf(500, 100),
    "2000 pairs, 1000 words a side": lambda: zipf(2000, 1000),
    "the words of CrowS-Pairs": lambda: real("crows-pairs", "crows_pairs", "crows_pairs_anonymized.csv"),
    "the words of StereoSet": lambda: real("stereoset", "stereoset", "dev.json"),
}


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
def test_intervals_hold_the_truth(world: str) -> None:
    """A margin is a mean plus the scores of its words, those of the other side taken off, plus noise of its
    own."""
    sides, rng = WORLDS[world](), np.random.default_rng(1)
    words = sorted({word for pair in sides for side in pair for word in side})
    signed = np.zeros((len(sides), len(words)), dtype=np.float32)
    for row, (one, other) in enumerate(sides):
        for side, sign in ((one, 1), (other, -1)):
            for word in side:
                signed[row, words.index(word)] += sign
    # every pair's words weigh the same
    signed /= np.maximum(np.linalg.norm(signed, axis=1, keepdims=True), 1e-9)
    dependence = Dependence.of([{*one, *other} for one, other in sides])
    n = len(sides)
    for of_words in OF_WORDS:
        lexical = np.sqrt(of_words) * (signed @ rng.standard_normal((len(words), DRAWS), dtype=np.float32))
        noise = np.sqrt(1 - of_words) * rng.standard_normal((n, DRAWS), dtype=np.float32)
        for mean in MEANS:
            truth = 100 * norm.cdf(mean)
            preferred = (lexical + noise + mean > 0).astype(float)
            share = preferred.mean(axis=0)
            found = dependence.variance(preferred - share, np.full(n, 1 / n), np.zeros(n, np.int64))
            effects = found.clustered / found.independent
            clustered = [
                effective_wilson(n * p, n, effect, found.df, 0.95)
                for p, effect in zip(share, effects, strict=True)
            ]
            plain = [wilson(n * p, n, 0.95) for p in share]
            coverage, of_plain = (
                100 * np.mean([low <= truth <= high for low, high in intervals])
                for intervals in (clustered, plain)
            )
            if table := os.environ.get("UNMASK_COVERAGE_TABLE"):
                cells = (world, f"{of_words:.0%}", f"{truth:.1f}", f"{100 * share.std():.1f}",
                         f"{np.median(effects):.1f}", f"{of_plain:.1f}", f"{coverage:.1f}")  # fmt: skip
                with open(table, "a", encoding="utf-8") as file:
                    file.write(f"| {' | '.join(cells)} |\n")
            assert 93 - 2 * ERROR <= coverage <= 97 + 2 * ERROR, (of_words, mean)
            assert of_plain < 93 or of_words < 0.2
