"""Vectors of regions in two dimensions, and what unrelated rankings of them have in common."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

from unmask.regional.geometry import principal_components, rho_by_chance
from unmask.regional.pairs import unit


def test_unrelated_rankings_stay_below_what_is_said_of_them() -> None:
    rng = np.random.default_rng(0)
    for n in (12, 60):
        rhos = [abs(spearmanr(rng.permutation(n), rng.permutation(n)).statistic) for _ in range(2000)]
        assert np.mean(np.array(rhos) < rho_by_chance(n, 0.95)) == pytest.approx(0.95, abs=0.02)


def test_two_dimensions_keep_what_has_two_and_say_how_much_they_hold() -> None:
    rng = np.random.default_rng(0)
    flat = rng.normal(size=(20, 2)) @ np.linalg.qr(rng.normal(size=(6, 6)))[0][:2] + 3
    points, shares = principal_components(flat)

    def distances(rows: Any) -> Any:
        return np.linalg.norm(rows[:, None] - rows[None], axis=2)

    assert np.allclose(distances(points), distances(flat)) and sum(shares) == pytest.approx(1)
    full = rng.normal(size=(30, 5))
    points, shares = principal_components(full)
    values = np.sort(np.linalg.eigvalsh(np.cov(full.T)))[::-1]
    assert shares == pytest.approx(tuple(values[:2] / values.sum()))
    assert points.var(axis=0, ddof=1) == pytest.approx(values[:2])
    # the same whichever sign the decomposition happens to take
    assert (
        np.allclose(principal_components(full)[0], points)
        and (points[np.abs(points).argmax(axis=0), [0, 1]] > 0).all()
    )
    assert principal_components(np.ones((4, 3)))[1] == (0.0, 0.0)


def test_vectors_have_length_one_and_those_of_zeros_none() -> None:
    assert unit(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist() == [[0.6, 0.8], [0.0, 0.0]]
