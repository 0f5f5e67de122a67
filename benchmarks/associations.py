"""Association tests with draws, side by side in one run: a straightforward loop over permutations and Unmask.

    python benchmarks/associations.py [--tests DIR] [--poolings 4] [--draws 100000] [--rounds 3]

DIR holds tests as sent-bias has them (*.jsonl); without it 50 tests are made up whose sets are as large as
theirs. Embeddings are random, 384 wide: speed does not depend on what a model knows.

The straightforward way shuffles the units of one test and one pooling, sums s over the first of them, and
counts; it is timed for --loop permutations of each test, of which time goes up in proportion. Ours makes the
whole table by item and by word, p of all partitions up to 40 units, and with --bootstrap intervals. The two
take turns; figures are medians over rounds. Seconds are those of the processor, so that a busy machine
disturbs less.
"""

import argparse
import json
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from unmask.associations.association import cosines
from unmask.associations.terms import SETS
from unmask.associations.testing import Options, association_tests

WIDTH = 384
KEYS = ("targ1", "targ2", "attr1", "attr2")
SIZES = [(8, 8, 8, 8)] * 12 + [(8, 8, 10, 10)] * 5 + [(25, 25, 25, 25)] * 2 + [(15, 15, 18, 18)] * 3
SIZES += [(16, 16, 16, 16)] * 2 + [(32, 32, 25, 25), (18, 18, 21, 23)] + [(64, 64, 90, 100)] * 8
SIZES += [(84, 84, 160, 180)] * 4 + [(72, 72, 72, 72)] * 4 + [(128, 128, 120, 130)] * 5
SIZES += [(195, 195, 120, 130)] * 2 + [(350, 350, 215, 250), (256, 256, 215, 249)]
"""Of 50 tests without files."""

Floats = npt.NDArray[np.floating[Any]]


def stimuli_of(sets: dict[str, list[list[str]]]) -> pd.DataFrame:
    """STIMULI of tests; eight texts that follow each other in a set of more than 32 are of one word."""
    numbers: dict[str, int] = {}
    rows = []
    for test, four in sets.items():
        for name, own in zip(SETS, four, strict=True):
            for i, text in enumerate(own):
                word = f"{name}{i // 8 if len(own) > 32 else i}"
                rows.append((test, name, None, word, text, None, numbers.setdefault(text, len(numbers))))
    return pd.DataFrame(rows, columns=["test", "set", "cell", "word", "text", "image", "stimulus"])


def tests_in(folder: Path | None) -> dict[str, list[list[str]]]:
    """The four sets of each test."""
    if folder is None:
        return {
            f"test {number}": [
                [f"{number} {name} {i}" for i in range(n)] for name, n in zip(SETS, sizes, strict=True)
            ]
            for number, sizes in enumerate(SIZES)
        }
    files = {
        path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.jsonl"))
    }
    return {test: [file[key]["examples"] for key in KEYS] for test, file in files.items()}


def straightforward(s: Floats, size: int, permutations: int, numbers: np.random.Generator) -> float:
    """p of one test and pooling by shuffling its units."""
    found = s[:size].sum()
    units = s.copy()
    reached = 1
    for _ in range(permutations):
        numbers.shuffle(units)
        reached += units[:size].sum() >= found
    return reached / (1 + permutations)


def loop(stimuli: pd.DataFrame, embeddings: dict[str, Floats], permutations: int) -> None:
    """All tests and poolings the straightforward way."""
    numbers = np.random.default_rng(0)
    for _, test in stimuli.groupby("test", sort=False):
        rows = {name: test.loc[test["set"].eq(name), "stimulus"].to_numpy() for name in SETS}
        targets = np.concatenate([rows["X"], rows["Y"]])
        for vectors in embeddings.values():
            a, b = (cosines(vectors[targets], vectors[rows[name]]).mean(axis=1) for name in "AB")
            straightforward(a - b, len(rows["X"]), permutations, numbers)


def clock(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tests", type=Path, help="folder of *.jsonl")
    parser.add_argument("--poolings", type=int, default=4)
    parser.add_argument("--draws", type=int, default=100_000)
    parser.add_argument("--loop", type=int, default=1000, help="permutations of the straightforward way")
    parser.add_argument("--bootstrap", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    stimuli = stimuli_of(tests_in(given.tests))
    numbers = np.random.default_rng(0)
    shape = (int(stimuli["stimulus"].max()) + 1, WIDTH)
    embeddings: dict[str, Floats] = {
        f"pooling {i}": numbers.normal(size=shape).astype(np.float32) for i in range(given.poolings)
    }
    options = Options(permutations=given.draws, bootstrap=0)
    with_intervals = options._replace(bootstrap=given.bootstrap)
    seconds: dict[str, list[float]] = {"loop": [], "ours": [], "intervals": []}
    for number in range(given.rounds):
        # what the loop does but once, taken off by a run without permutations
        once = clock(lambda: loop(stimuli, embeddings, 0))
        shuffled = clock(lambda: loop(stimuli, embeddings, given.loop)) - once
        seconds["loop"].append(once + shuffled * given.draws / given.loop)
        seconds["ours"].append(clock(lambda: association_tests(stimuli, embeddings, options)))
        seconds["intervals"].append(clock(lambda: association_tests(stimuli, embeddings, with_intervals)))
        print(
            f"round {number + 1}: { ({key: round(own[-1], 2) for key, own in seconds.items()}) }", flush=True
        )
    ratios = [a / b for a, b in zip(seconds["loop"], seconds["ours"], strict=True)]
    plain, ours, both = (statistics.median(own) for own in seconds.values())
    tests = stimuli["test"].nunique()
    print(f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}")
    print("| tests | poolings | draws | loop, s | Unmask, s | with intervals, s | faster by |")
    print("|---|---|---|---|---|---|---|")
    print(
        f"| {tests} | {given.poolings} | {given.draws:,} | {plain:.0f} | {ours:.1f} | {both:.1f} "
        f"| ×{statistics.median(ratios):.0f} ({min(ratios):.0f} to {max(ratios):.0f}) |"
    )


if __name__ == "__main__":
    main()
