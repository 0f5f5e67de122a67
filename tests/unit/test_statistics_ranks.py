"""Holm's correction against its definition."""

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
    """A test without p is in none."""
    rng = np.random.default_rng(0)
    p = np.append(rng.random(40) ** 4, np.nan)
    kind = rng.choice(["a", "b"], 41)
    protocol = [None if i % 3 else "published" for i in range(41)]
    frame = pd.DataFrame({"p": p, "kind": kind, "protocol": protocol}, index=range(100, 141))
    found = holm(frame, by=["kind", "protocol"])["p_holm"]
    for family in {*zip(kind[:40], protocol[:40], strict=True)}:
        members = [i for i in range(40) if (kind[i], protocol[i]) == family]
        assert list(found.iloc[members]) == pytest.approx(literal_holm([p[i] for i in members]))
    assert np.isnan(found[140]) and holm(frame[:0], by=["kind"]).empty
