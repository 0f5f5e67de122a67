"""How often 95% intervals hold the truth, in worlds where it is known: the table of docs/chance.md.

    python speed/coverage.py [--draws 2000] [--write]

Pairs have one word a side. A pair prefers the stereotype where the sum of a mean, random scores of its words
and a number of its own is above 0, all of them normal. The words of a pair are one word pair of --few and as
many pairs have each; or they are two of many words, the k-th a side 1/k times as often as the first. Of the
variance, 0 or 60% is that of words. --write puts the table into the page.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.stats import norm

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

from unmask.statistics.uncertainty import (  # noqa: E402
    Floats,
    Ints,
    Sharing,
    contrast,
    normal_quantile,
    proportion,
    wilson,
)

PAGE = ROOT / "docs/chance.md"
PAIRS = (10, 50, 500)
TRUTHS = (0.5, 0.75, 0.9, 0.95, 0.99)
OF_WORDS = (0.0, 0.6)
FEW = 5
HEAD = """\
| pairs | words | of words | 50 | 75 | 90 | 95 | 99 | width at 50 | independent, worst |
|---|---|---|---|---|---|---|---|---|---|
"""


def worlds(pairs: int) -> Iterator[tuple[str, Ints]]:
    """Names, and the words of each pair by number, shape (pairs, 2)."""
    few = np.arange(pairs) % FEW
    yield f"{FEW} word pairs", np.column_stack([few, few + pairs])
    chances = 1 / np.arange(1, pairs + 1)
    drawn = np.random.default_rng(0).choice(pairs, size=(pairs, 2), p=chances / chances.sum())
    yield "many", drawn + np.array([0, pairs])


def coverage(margins: Floats, sharing: Sharing, truth: float) -> tuple[float, float, float]:
    """In percent: how many intervals hold the truth, and how many of Wilson's for independent pairs; and how
    wide the first are (median, points). margins: shape (pairs, draws), with mean 0."""
    scores = contrast((margins + norm.ppf(truth) > 0).astype(float), sharing)
    ends = proportion(scores, 0.95).dropna()
    # an end at 100 is 100 but for rounding
    inside = (ends["low"] <= 100 * truth + 1e-9) & (100 * truth <= ends["high"] + 1e-9)
    low, high = wilson(scores["estimate"], scores["n"], normal_quantile(0.95))
    width = float((ends["high"] - ends["low"]).median())
    return float(100 * inside.mean()), float(100 * ((low <= truth) & (truth <= high)).mean()), width


def table(draws: int) -> str:
    lines = [HEAD]
    for pairs in PAIRS:
        for name, words in worlds(pairs):
            rng = np.random.default_rng(1)
            of_words = rng.normal(size=(2 * pairs, draws))
            lexical = (of_words[words[:, 0]] - of_words[words[:, 1]]) / np.sqrt(2)
            own = rng.normal(size=(pairs, draws))
            sharing = Sharing.of(words.tolist())
            for share in OF_WORDS:
                margins = np.sqrt(share) * lexical + np.sqrt(1 - share) * own
                held, plain, widths = zip(
                    *(coverage(margins, sharing, truth) for truth in TRUTHS), strict=True
                )
                cells = [f"{each:.1f}" for each in (*held, widths[0], min(plain))]
                lines.append(f"| {pairs} | {name} | {share:.0%} | {' | '.join(cells)} |\n")
    return "".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    rows = table(arguments.draws)
    if arguments.write:
        page = PAGE.read_text(encoding="utf-8")
        old = re.compile(re.escape(HEAD) + r"(?:\|.*\n)*")
        PAGE.write_text(old.sub(lambda _: rows, page), encoding="utf-8")
    else:
        print(rows, end="")
