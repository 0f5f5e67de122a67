"""Association tests as their definitions say, by loops; and small suites to make them of."""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

Array = npt.NDArray[np.floating[Any]]


def cosine(u: Array, v: Array) -> float:
    dot = sum(float(a) * float(b) for a, b in zip(u, v, strict=True))
    return dot / math.sqrt(sum(float(a) ** 2 for a in u)) / math.sqrt(sum(float(b) ** 2 for b in v))


def mean(numbers: Sequence[float]) -> float:
    return math.fsum(numbers) / len(numbers)


def deviation(numbers: Sequence[float], ddof: int) -> float:
    centre = mean(numbers)
    return math.sqrt(math.fsum((x - centre) ** 2 for x in numbers) / (len(numbers) - ddof))


def size(x: Sequence[float], y: Sequence[float], ddof: int = 1) -> float:
    return (mean(x) - mean(y)) / deviation([*x, *y], ddof)


def partition_counts(x: Sequence[float], y: Sequence[float]) -> tuple[int, int, int]:
    """Partitions that come to as much on one side, on either, and all."""
    values = [*x, *y]
    slack = 1e-12 * math.fsum(abs(v) for v in values)
    expected = len(x) * mean(values)
    observed = math.fsum(x)
    one = two = total = 0
    for chosen in itertools.combinations(values, len(x)):
        sum_ = math.fsum(chosen)
        one += sum_ >= observed - slack
        two += abs(sum_ - expected) >= abs(observed - expected) - slack
        total += 1
    return one, two, total


def holm(p: Sequence[float]) -> list[float]:
    """p after Holm's correction, from its definition."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    corrected = [0.0] * len(p)
    highest = 0.0
    for step, i in enumerate(order):
        highest = max(highest, min(1.0, (len(p) - step) * p[i]))
        corrected[i] = highest
    return corrected


def suite(*rows: tuple[str, str, str | None, str | None, str, str | None]) -> pd.DataFrame:
    """STIMULI of rows (test, set, cell, word, text, image); a stimulus for each text, word and image."""
    numbers: dict[tuple[str, str | None, str | None], int] = {}
    frame = pd.DataFrame(rows, columns=["test", "set", "cell", "word", "text", "image"])
    stimuli = [numbers.setdefault((text, word, image), len(numbers)) for _, _, _, word, text, image in rows]
    return frame.assign(stimulus=stimuli)


def words(test: str, **sets: Sequence[str]) -> list[tuple[str, str, None, str, str, None]]:
    """Rows of a test of words: each its own text."""
    return [(test, name, None, word, word, None) for name, members in sets.items() for word in members]
