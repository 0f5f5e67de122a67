"""p-values of partitions against counting them one by one, and against scipy."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from literal_associations import partition_counts
from profiles import examples
from unmask.associations import permutations
from unmask.associations.permutations import (
    drawn_partitions,
    generator,
    partitions,
    published_draws,
)

# few distinct values, so that many sums are ties
TIED = st.sampled_from([-0.3, -0.1, 0.0, 0.1, 0.2, 0.7])
VALUES = st.one_of(TIED, st.floats(-1, 1, allow_nan=False).map(lambda v: round(v, 6)))


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(VALUES, min_size=1, max_size=6), st.lists(VALUES, min_size=1, max_size=5))
def test_all_partitions_are_counted(x: list[float], y: list[float]) -> None:
    tails = partitions(np.array([[*x, *y]]), len(x))
    one, two, total = partition_counts(x, y)
    assert tails.exact and tails.partitions == total == math.comb(len(x) + len(y), len(x))
    assert tails.p[0] == one / total
    assert tails.p_two[0] == two / total
    moved = permutations.ROUNDING * len(x)
    # of values of six decimals, a bound moved by so much may fall on a sum
    low, high = (partition_counts(x, y, by)[0] for by in (moved * 1.01, -moved * 1.01))
    assert max(low, 1) / total <= tails.p_low[0] <= tails.p[0] <= tails.p_high[0] <= high / total


def test_forty_units() -> None:
    values = np.random.default_rng(1).normal(size=(2, 40)) * 0.05
    values[1, :20] += 0.01
    tails = partitions(values, 20)
    assert tails.partitions == math.comb(40, 20)
    many = drawn_partitions(values, 20, [100_000], np.random.default_rng(0))[0]
    assert tails.p == pytest.approx(many.p, abs=0.006)
    assert tails.p_two == pytest.approx(many.p_two, abs=0.006)
    # by symmetry of equal parts
    assert tails.p_two == pytest.approx(2 * np.minimum(tails.p, 1 - tails.p), abs=1e-6)


def test_one_of_every_partition_is_the_one_that_was_found() -> None:
    values = np.array([[3.0, 2.0, 1.0, 0.0]])
    assert partitions(values, 2).p[0] == partitions(values, 2).p_low[0] == 1 / 6
    assert partitions(-values, 2).p[0] == 1
    assert partitions(values, 2).p_two[0] == 2 / 6


def test_the_order_of_units_changes_nothing() -> None:
    generator = np.random.default_rng(4)
    values = generator.normal(size=(3, 13))
    before = partitions(values, 6)
    order = np.concatenate([generator.permutation(6), 6 + generator.permutation(7)])
    after = partitions(values[:, order], 6)
    assert all(np.array_equal(one, other) for one, other in zip(before[:4], after[:4], strict=True))


def test_rounding_of_single_precision_is_between_the_bounds() -> None:
    generator = np.random.default_rng(0)
    strict = 0
    for _ in range(20):
        # sums that are ties but for rounding
        values = np.round(generator.normal(size=(1, 12)) * 0.05, 2)
        noisy = values + generator.uniform(-1, 1, size=values.shape) * 4e-7
        exact, rounded = partitions(values, 6), partitions(noisy, 6)
        assert rounded.p_low[0] <= exact.p[0] <= rounded.p_high[0]
        strict += int(rounded.p[0] != exact.p[0])
    # which p of the rounded numbers alone would not tell
    assert strict > 5


def test_drawn_partitions_come_near_to_all() -> None:
    generator_ = np.random.default_rng(2)
    values = generator_.normal(size=(3, 15))
    exact = partitions(values, 6)
    tails = drawn_partitions(values, 6, [50_000], np.random.default_rng(0))[0]
    assert not tails.exact and tails.partitions == 50_000
    for key in ("p", "p_two", "p_low", "p_high"):
        assert getattr(tails, key) == pytest.approx(getattr(exact, key), abs=0.012)


def test_drawn_partitions_are_of_the_size_of_x() -> None:
    # p of the largest, alone in X, is 1/5; of a subset of another size it would not be
    values = np.array([[10.0, 0, 1, 2, 3]])
    tails = drawn_partitions(values, 1, [40_000], np.random.default_rng(0))[0]
    assert tails.p[0] == pytest.approx(1 / 5, abs=0.01)
    assert drawn_partitions(-values, 1, [1000], np.random.default_rng(0))[0].p[0] == 1


def test_no_drawn_p_is_zero() -> None:
    values = np.array([[*np.arange(30) + 1000.0, *np.arange(30.0)]])
    all_tails = drawn_partitions(values, 30, [99, 999], np.random.default_rng(0))
    assert [tails.p[0] for tails in all_tails] == [1 / 100, 1 / 1000]


def test_fewer_draws_are_the_first_of_more(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(7).normal(size=(2, 50))
    values[:, :25] += 0.2
    fewer, more = drawn_partitions(values, 25, [999, 2000], np.random.default_rng(5))
    [alone] = drawn_partitions(values, 25, [999], np.random.default_rng(5))
    assert np.array_equal(fewer.p, alone.p)
    monkeypatch.setattr(permutations, "BATCH", 170)
    monkeypatch.setattr(permutations, "SUMS", 37)
    small = drawn_partitions(values, 25, [2000, 999], np.random.default_rng(5))
    assert np.array_equal(small[0].p_two, more.p_two) and np.array_equal(small[1].p_low, fewer.p_low)


def test_columns_are_on_the_same_draws() -> None:
    values = np.random.default_rng(7).normal(size=(3, 45))
    all_columns = drawn_partitions(values, 20, [5000], np.random.default_rng(5))[0]
    for column in range(3):
        alone = drawn_partitions(values[column : column + 1], 20, [5000], np.random.default_rng(5))[0]
        assert all_columns.p[column] == alone.p[0]


def test_p_is_uniform_without_bias() -> None:
    generator_ = np.random.default_rng(0)
    for size in (6, 4):
        values = generator_.normal(size=(2000, 10))
        tails = partitions(values, size)
        for p in (tails.p, tails.p_two):
            assert scipy.stats.kstest(p, "uniform").pvalue > 0.01
            assert (p <= 0.05).mean() == pytest.approx(0.05, abs=0.015)


def test_the_released_code_counts_up_to_a_hundred_thousand() -> None:
    assert [published_draws(n, n) for n in (8, 9, 10, 64)] == [0, 0, 99_999, 99_999]
    with pytest.raises(ValueError, match="of one size"):
        published_draws(8, 7)


def test_parts_have_members() -> None:
    for size in (0, 4):
        with pytest.raises(ValueError, match="have members"):
            partitions(np.zeros((1, 4)), size)


def test_generators_are_seeded_by_names() -> None:
    first = generator(0, "partitions", "weat6").random()
    # in any process
    assert first == pytest.approx(0.44196063959371146, rel=1e-15)
    assert first == generator(0, "partitions", "weat6").random()
    others = [generator(0, "partitions", "weat7"), generator(1, "partitions", "weat6")]
    others += [generator(0, "partitionsweat6"), generator(0, "weat6", "partitions")]
    assert len({first, *(other.random() for other in others)}) == 5
