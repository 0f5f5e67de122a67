"""Areas under ROC curves, their variances and intervals, against slow definitions and by simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from unmask.statistics.areas import CLUSTERED, NEWCOMBE, Areas, area_intervals, levels, newcombe
from unmask.statistics.dependence import Dependence

Scores = st.lists(st.integers(-4, 4).map(float), min_size=2, max_size=12)
Z = 1.959963984540054


def of(positive: list[float], negative: list[float]) -> Areas:
    return Areas.of(
        np.array([*positive, *negative])[:, None], np.repeat([True, False], [len(positive), len(negative)])
    )


def alone(areas: Areas) -> Dependence:
    return Dependence.of([()] * len(areas.positive))


def psi(x: float, y: float) -> float:
    return 1.0 if x > y else 0.5 if x == y else 0.0


def literal_auc(positive: list[float], negative: list[float]) -> float:
    """Mann-Whitney: over all pairs of a positive and a negative, 1 if the positive is higher, ½ if equal."""
    return sum(psi(x, y) for x in positive for y in negative) / (len(positive) * len(negative))


def literal_delong(positive: list[float], negative: list[float]) -> float:
    """Variance of the area by structural components (DeLong, DeLong & Clarke-Pearson 1988), O(nm)."""
    m, n = len(positive), len(negative)
    auc = literal_auc(positive, negative)
    v10 = [sum(psi(x, y) for y in negative) / n for x in positive]
    v01 = [sum(psi(x, y) for x in positive) / m for y in negative]
    s10 = sum((v - auc) ** 2 for v in v10) / (m - 1)
    s01 = sum((v - auc) ** 2 for v in v01) / (n - 1)
    return s10 / m + s01 / n


@given(Scores, Scores)
def test_areas_and_variances_are_the_literal_ones(positive: list[float], negative: list[float]) -> None:
    areas = of(positive, negative)
    assert areas.areas() == pytest.approx([literal_auc(positive, negative)])
    delong, clustered, _ = areas.variances(alone(areas))
    assert delong == pytest.approx([literal_delong(positive, negative)])
    # pairs that share nothing are independent
    if delong[0] > 0:
        assert clustered == pytest.approx(delong)


def test_many_curves_at_once_are_one_at_a_time() -> None:
    rng = np.random.default_rng(1)
    scores, positive = rng.normal(size=(60, 4)).round(1), rng.random(60) < 0.4
    together = Dependence.of([(i % 7, i // 5) for i in range(60)])
    every = Areas.of(scores, positive)
    for column in range(4):
        one = Areas.of(scores[:, [column]], positive)
        for all_, own in zip(every.variances(together)[:2], one.variances(together)[:2], strict=True):
            assert all_[column] == pytest.approx(own[0])
        shown, alike = (area_intervals(areas, together, 0.9) for areas in (every, one))
        assert (shown[column].low, shown[column].high) == pytest.approx((alike[0].low, alike[0].high))


def test_some_curves_in_memory_at_a_time_are_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    scores, positive = rng.normal(size=(60, 7)), rng.random(60) < 0.4
    together = Dependence.of([(i % 7, i // 5) for i in range(60)])
    every = Areas.of(scores, positive)
    of_couples = every.differences([(0, 1), (4, 2), (5, 6)])
    assert of_couples.areas()[1] == pytest.approx(every.areas()[4] - every.areas()[2])
    for areas in (every, of_couples):
        values, (delong, clustered, df) = areas.areas(), areas.variances(together)
        with monkeypatch.context() as few:
            few.setattr("unmask.statistics.dependence.VALUES_AT_ONCE", 2 * 60)
            found = areas.areas(), *areas.variances(together)
        for some, of_all in zip(found, (values, delong, clustered, df), strict=True):
            assert some == pytest.approx(of_all, rel=1e-12)


def test_levels_are_in_the_order_of_scores_without_the_unknown() -> None:
    scores = np.array([[0.5, np.nan], [-2.0, 1.0], [np.nan, np.nan], [0.5, -0.0], [7.0, 0.0]])
    assert levels(scores).T.tolist() == [[1, 0, -1, 1, 2], [-1, 1, -1, 0, 0]]


def test_copies_of_pairs_add_nothing() -> None:
    """Pairs four times over: DeLong's variance is a quarter, the clustered one that of the pairs alone."""
    rng = np.random.default_rng(2)
    scores, positive = rng.normal(size=(200, 1)), np.arange(200) % 3 == 0
    scores[positive] += 0.5
    delong, _, _ = Areas.of(scores, positive).variances(Dependence.of([()] * 200))
    copied = Areas.of(np.tile(scores, (4, 1)), np.tile(positive, 4))
    of_copies, clustered, _ = copied.variances(Dependence.of([(row % 200,) for row in range(800)]))
    assert of_copies == pytest.approx(delong / 4, rel=0.02)
    assert clustered == pytest.approx(delong, rel=0.05)


def literal_newcombe(area: float, m: int, n: int) -> tuple[float, float]:
    """Method 5 of Newcombe 2006 on a grid: all θ no more than z standard errors at θ from the area."""
    star = (m + n) / 2 - 1
    grid = np.linspace(0, 1, 200_001)[1:-1]
    variance = grid * (1 - grid) / (m * n) * (1 + star * (1 - grid) / (2 - grid) + star * grid / (1 + grid))
    inside = grid[np.abs(area - grid) <= Z * np.sqrt(variance)]
    return float(inside[0]), float(inside[-1])


@pytest.mark.parametrize("area", [0.0, 0.02, 0.3, 0.5, 0.77, 0.99, 1.0])
@pytest.mark.parametrize(("m", "n"), [(1, 5), (3, 100), (9, 9), (40, 200)])
def test_newcombes_interval_is_the_literal_one(area: float, m: int, n: int) -> None:
    low, high = newcombe(area, m, n, 0.95)
    assert (low, high) == pytest.approx(literal_newcombe(area, m, n), abs=2e-5)
    assert 0 <= low <= area <= high <= 1 and high - low > 0.01
    # which class is called positive makes no difference but to turn it round
    assert newcombe(1 - area, n, m, 0.95) == pytest.approx((1 - high, 1 - low))
    assert (low == 0) == (area == 0) and (high == 1) == (area == 1)


@pytest.mark.parametrize("shift", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("positives", [4, 40])
def test_the_interval_at_one_less_p_ends_at_one_half(positives: int, shift: float) -> None:
    rng = np.random.default_rng(int(10 * shift) + positives)
    areas = of(list(rng.normal(shift, 1, positives)), list(rng.normal(size=60)))
    (shown,) = area_intervals(areas, alone(areas), 0.95)
    assert shown.method == (NEWCOMBE if positives < 10 else CLUSTERED)
    (at_p,) = area_intervals(areas, alone(areas), 1 - shown.p)
    assert min(abs(at_p.low - 0.5), abs(at_p.high - 0.5)) < 1e-6
    assert (shown.p < 0.05) == (not shown.low <= 0.5 <= shown.high)


def test_which_interval_is_shown() -> None:
    rng = np.random.default_rng(5)
    mixed = list(rng.normal(size=12))
    for positive, negative, method in (
        (mixed, mixed[::-1], CLUSTERED),
        (mixed[:9], mixed, NEWCOMBE),
        (mixed, mixed[:9], NEWCOMBE),
        ([x + 100 for x in mixed], mixed, NEWCOMBE),
        ([x - 100 for x in mixed], mixed, NEWCOMBE),
        ([3.0] * 20, [3.0] * 20, NEWCOMBE),
        ([1.0], [0.0, 2.0], NEWCOMBE),
    ):
        areas = of(positive, negative)
        (shown,) = area_intervals(areas, alone(areas), 0.95)
        assert shown.method == method
        assert 0 <= shown.low < shown.high <= 1
        assert math.isnan(shown.delong_low) == math.isnan(shown.delong_high) == (method == NEWCOMBE)


@pytest.mark.parametrize("copies", [2, 12])
def test_classes_that_are_apart_are_worth_their_clusters(copies: int) -> None:
    """Each word has so many pairs of one class: the interval is that of one pair a word."""
    positive, negative = [100.0 + word for word in range(10)], [float(word) for word in range(15)]
    (one,) = area_intervals(of(positive, negative), alone(of(positive, negative)), 0.95)
    areas = of(positive * copies, negative * copies)
    words = [("p", word) for word in range(10)] * copies + [("n", word) for word in range(15)] * copies
    (found,) = area_intervals(areas, Dependence.of([(word,) for word in words]), 0.95)
    assert found.method == NEWCOMBE and found.high == one.high == 1
    assert found.low == pytest.approx(one.low)
    (independent,) = area_intervals(areas, alone(areas), 0.95)
    assert found.low < independent.low


def test_delongs_interval_stands_beside_the_clustered_one() -> None:
    rng = np.random.default_rng(6)
    positive, negative = list(rng.normal(0.4, 1, 30)), list(rng.normal(size=50))
    areas = of(positive, negative)
    (shown,) = area_intervals(areas, alone(areas), 0.95)
    auc, reach = literal_auc(positive, negative), Z * math.sqrt(literal_delong(positive, negative))
    assert (shown.delong_low, shown.delong_high) == pytest.approx((auc - reach, auc + reach))
    # Student's t is a little wider
    assert shown.low < shown.delong_low and shown.high > shown.delong_high
    together = Dependence.of([("word",)] * 80)
    (nothing,) = area_intervals(areas, together, 0.95)
    assert math.isnan(nothing.low) and nothing.delong_low == shown.delong_low


@pytest.mark.parametrize("shift", [0.0, 0.4, 1.2])
@pytest.mark.parametrize("positives", [3, 5, 9])
def test_with_few_positives_newcombes_interval_covers_better(positives: int, shift: float) -> None:
    """Of two normal distributions `shift` apart, with 60 negatives."""
    rng, true, rounds = np.random.default_rng(positives), float(norm.cdf(shift / math.sqrt(2))), 4000
    positive = np.arange(positives + 60) < positives
    areas = Areas.of(rng.normal(size=(len(positive), rounds)) + shift * positive[:, None], positive)
    found, reach = areas.areas(), Z * np.sqrt(areas.variances(alone(areas))[0])
    by_delong = float((np.abs(found - true) <= reach).mean())
    ends = np.array([newcombe(area, positives, 60, 0.95) for area in found.tolist()])
    by_newcombe = float(((ends[:, 0] <= true) & (true <= ends[:, 1])).mean())
    assert 0.93 < by_newcombe < 0.985
    assert by_delong < 0.935
    assert abs(by_newcombe - 0.95) < abs(by_delong - 0.95)
