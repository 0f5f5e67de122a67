"""Holm's correction against its definition."""

import math

import numpy as np
import pandas as pd
import pytest

from library import holm


def literal_holm(p: list[float]) -> list[float]:
    """Holm 1979: the k-th smallest of m is multiplied by m - k + 1; never below an earlier one, at most 1."""
    corrected, largest = [0.0] * len(p), 0.0
    for k, index in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        largest = max(largest, min(1.0, (len(p) - k) * p[index]))
        corrected[index] = largest
    return corrected


def test_holm_within_families() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(40) ** 4
    kind = rng.choice(["a", "b"], 40)
    protocol = [None if i % 3 else "published" for i in range(40)]
    frame = pd.DataFrame({"p": p, "kind": kind, "protocol": protocol}, index=range(100, 140))
    found = holm(frame, by=["kind", "protocol"])
    assert list(found["p"]) == list(p)
    for of in {(k, s) for k, s in zip(kind, protocol, strict=True)}:
        members = [i for i in range(40) if (kind[i], protocol[i]) == of]
        assert list(found["p_holm"].iloc[members]) == pytest.approx(literal_holm([p[i] for i in members]))


def test_a_test_without_p_is_in_no_family() -> None:
    frame = pd.DataFrame({"p": [0.01, None, 0.04], "kind": "a"})
    found = holm(frame, by=["kind"])["p_holm"]
    assert list(found[[0, 2]]) == pytest.approx([0.02, 0.04])
    assert math.isnan(found[1])
    assert holm(frame[:0], by=["kind"]).empty
