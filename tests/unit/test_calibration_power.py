"""The test behind power against the report's own, and simulated benchmarks against drawing pair by pair."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from profiles import examples
from study_schema import options_with
from unmask.calibration.clustered_test import mean_variance, score_interval
from unmask.calibration.power import (
    Options,
    generator,
    outcomes_of,
    rejections,
    smallest_association,
)
from unmask.errors import InputError
from unmask.statistics.bias import bias_table
from unmask.statistics.decisions import decisions
from unmask.statistics.dependence import Dependence
from unmask.statistics.intervals import wilson
from unmask.statistics.student import student

OPTIONS = Options(0.95, association=0.75, pairs=(100,), per_unit=10, draws=2000, seed=1)
WORDS = {0.0: "antistereotype", 0.5: "tie", 1.0: "stereotype"}


def of_report(credit: list[float], units: list[int], margin: list[float]) -> pd.Series:
    """The row of all pairs in the report's table of bias scores."""
    ids = [str(i) for i in range(len(credit))]
    outcome = [WORDS[value] for value in credit]
    scores = pd.DataFrame({"pair_id": ids, "margin": margin, "outcome": outcome}).assign(
        measure="AUL", protocol="corrected", lowest=outcome, highest=outcome
    )
    pairs = pd.DataFrame({"pair_id": ids, "bias_type": "any", "direction": None})
    for name in ("target", "writer", "unrelated"):
        pairs[name] = None
    found = decisions(pairs, scores)
    dependence = Dependence.of([[unit] for unit in units])
    table = bias_table(pairs, found, options_with(clusters=()), dependence)
    return table[table["grouping"] == "overall"].iloc[0]


@settings(deadline=None, max_examples=examples(60))
@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.integers(0, 5), st.floats(-3, 3)),
        min_size=1,
        max_size=40,
    )
)
# all alike; all ties; one unit; a unit a pair
@example([(1.0, i % 3, 1.0) for i in range(12)])
@example([(0.5, i % 3, 0.0) for i in range(12)])
@example([(float(i % 2), 0, 1.0 * i) for i in range(12)])
@example([(float(i % 2), i, 1.0 * i) for i in range(12)])
@example([(1.0, 0, 1.0)])
def test_intervals_are_those_of_the_report(rows: list[tuple[float, int, float]]) -> None:
    credit, units, margin = (list(values) for values in zip(*rows, strict=True))
    told = of_report(credit, units, margin)
    codes = pd.factorize(np.array(units), sort=True)[0]
    found = score_interval(np.array(credit), codes, 0.95)
    expected = told[["score", "low", "high"]].to_numpy(float)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)

    variance = mean_variance(np.array(margin)[:, None], codes)
    mean = np.array([np.mean(margin)])
    of_margin = student(mean, variance.clustered, np.full(1, variance.df), 0.95)
    if np.ptp(margin) > 1e-6 or len(set(margin)) == 1:
        expected = told[["margin_low", "margin_high"]].to_numpy(float)
        np.testing.assert_allclose([of_margin.low[0], of_margin.high[0]], expected, rtol=1e-7, atol=1e-9)


def test_outcomes_are_those_of_every_way_to_draw() -> None:
    credit, codes = np.array([1, 1, 0, 0.5, 0, 1.0]), np.array([0, 0, 0, 1, 1, 2])
    found = outcomes_of(credit, codes, 3)
    expected: dict[tuple[float, float], float] = {}
    for unit in range(3):
        own = credit[codes == unit]
        for drawn in product(own, repeat=3):
            key = float(sum(drawn)), float(sum(value**2 for value in drawn))
            expected[key] = expected.get(key, 0.0) + 1 / 3 / len(own) ** 3
    by_key = {
        (float(total), float(square)): float(probability)
        for total, square, probability in zip(found.sums, found.squares, found.probability, strict=True)
    }
    assert by_key == pytest.approx(expected)


@pytest.mark.parametrize("ties", [False, True])
def test_benchmarks_come_out_as_if_drawn_pair_by_pair(ties: bool) -> None:
    rng = np.random.default_rng(3)
    codes = np.repeat(np.arange(6), 20)
    credit = (rng.random(120) < np.repeat([0.4, 0.6, 0.7, 0.8, 0.9, 0.7], 20)).astype(float)
    if ties:
        credit[rng.random(120) < 0.2] = 0.5
    draws, low_or_high = 3000, np.zeros(2)
    for _ in range(draws):
        units = rng.integers(6, size=10)
        drawn = np.concatenate([rng.choice(credit[codes == unit], 10) for unit in units])
        _, low, high = score_interval(drawn, np.repeat(np.arange(10), 10), 0.95)
        low_or_high += low > 50, high < 50
    found = rejections(outcomes_of(credit, codes, 10), 100, OPTIONS, np.random.default_rng(4))
    expected = 100 * low_or_high / draws
    error = np.sqrt(expected * (100 - expected) * (1 / draws + 1 / OPTIONS.draws))
    assert abs(found.too_low - expected[0]) < 4 * error[0]
    assert abs(found.too_high - expected[1]) < 4 * error[1] + 0.1
    assert 20 < found.too_low < 80


def test_power_of_independent_pairs_is_binomial() -> None:
    """With a pair a unit it is Wilson's test, with t in place of z and the variance's own n - 1."""
    found = rejections(
        outcomes_of(np.array([1.0] * 3 + [0.0] * 2), np.arange(5), 1), 100, OPTIONS, np.random.default_rng(0)
    )
    noticed = [
        count
        for count in range(101)
        if score_interval(np.repeat([1.0, 0.0], [count, 100 - count]), np.arange(100), 0.95)[1] > 50
    ]
    # of 100 pairs, 60 are just not enough for the interval of independent pairs
    assert wilson(60, 100, 0.95)[0] > 50 > wilson(59, 100, 0.95)[0]
    assert min(noticed) in (60, 61)
    expected = 100 * float(binom.sf(min(noticed) - 1, 100, 0.6))
    assert found.too_low == pytest.approx(expected, abs=4 * np.sqrt(expected * (100 - expected) / 2000))
    assert found.too_high < 1


def test_decisions_all_alike_are_always_noticed_and_ties_never() -> None:
    codes = np.repeat(np.arange(4), 5)
    alike = rejections(outcomes_of(np.ones(20), codes, 10), 100, OPTIONS, np.random.default_rng(0))
    ties = rejections(outcomes_of(np.full(20, 0.5), codes, 10), 100, OPTIONS, np.random.default_rng(0))
    assert (alike.too_low, alike.too_high, alike.either) == (100, 0, 100)
    assert (ties.too_low, ties.too_high) == (0, 0)


def test_the_test_of_an_unbiased_measure_errs_as_often_as_it_says() -> None:
    """Units whose decisions hang together, of a population without a bias: about 5% of 500 pairs."""
    rng = np.random.default_rng(5)
    shares = rng.beta(2, 2, 500)
    shares = np.concatenate([shares, 1 - shares])
    credit = (np.arange(20)[None] < 20 * shares[:, None]).astype(float)
    credit[500:] = 1 - credit[:500]
    found = rejections(
        outcomes_of(credit.ravel(), np.repeat(np.arange(1000), 20), 10),
        500,
        OPTIONS,
        np.random.default_rng(6),
    )
    assert 3 < found.either < 7


def test_the_smallest_association_is_one_that_was_planted_and_never_none() -> None:
    levels = [0.5, 0.6, 0.9]
    assert smallest_association(levels, [5, 40, 90]) == 0.9
    assert smallest_association(levels, [5, 80, 90]) == 0.6
    # alarms at one half are false ones
    assert smallest_association(levels, [85, 40, 90]) == 0.9
    assert np.isnan(smallest_association(levels, [5, 40, 79]))


def test_draws_hang_on_seed_and_names_alone() -> None:
    first, again, other, seeded = (
        generator(*key).random(3).tolist()
        for key in ((1, "bert", "AUL"), (1, "bert", "AUL"), (1, "bert", "CPS"), (2, "bert", "AUL"))
    )
    assert first == again
    assert first != other
    assert first != seeded


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"pairs": [100, 105]}, "power.pairs: 105"),
        ({"pairs": [10]}, "power.pairs: 10"),
        ({"per_unit": 7}, "7 is"),
    ],
)
def test_sizes_are_of_whole_units(change: dict[str, object], key: str) -> None:
    power = {"association": 0.75, "pairs": [100], "per_unit": 10, "draws": 100, "seed": 0} | change
    with pytest.raises(InputError, match=key):
        Options.from_config({"confidence": 0.95, "power": power})
