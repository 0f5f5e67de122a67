"""Intervals by resampled words, against loops over the same draws and against what they are for."""

import numpy as np
import pytest

from literal_associations import mean, size
from unmask.associations import bootstrap
from unmask.associations.association import Arm, Experiment
from unmask.associations.bootstrap import interval, resampled
from unmask.associations.permutations import generator


def random_experiment(seed: int, columns: int = 2, paired: bool = False) -> Experiment:
    """5 and 4 targets; of A 3 units of 2, 1 and 1 texts, of B 2 of one."""
    numbers = np.random.default_rng(seed)
    a_sizes, b_sizes = np.array([2.0, 1, 1]), np.ones(2)

    def arm(n: int) -> Arm:
        a, b = numbers.normal(size=(columns, n, 3)), numbers.normal(size=(columns, n, 2))
        return Arm(a_sizes * a, b, a_sizes, b_sizes)

    return Experiment("made", arm(5), arm(5 if paired else 4), paired)


def s_of(arm: Arm, column: int, target: int, a: list[int], b: list[int]) -> float:
    near = sum(arm.a[column, target, i] for i in a) / sum(arm.a_sizes[i] for i in a)
    other = sum(arm.b[column, target, i] for i in b) / sum(arm.b_sizes[i] for i in b)
    return float(near - other)


@pytest.mark.parametrize("paired", [False, True])
def test_resamples_are_those_of_drawn_units(paired: bool) -> None:
    experiment = random_experiment(0, paired=paired)
    resamples = resampled(experiment, 20, 7, "made")
    of_set = {key: generator(7, "bootstrap", key, "made") for key in "XYAB"}
    sizes = {"X": 5, "Y": 5 if paired else 4, "A": 3, "B": 2}
    draws = {key: of_set[key].integers(n, size=(20, n)).tolist() for key, n in sizes.items()}
    if paired:
        draws["Y"] = draws["X"]
    for r in range(20):
        for column in range(2):
            fixed = [
                [s_of(arm, column, i, [0, 1, 2], [0, 1]) for i in draws[key][r]]
                for arm, key in ((experiment.x, "X"), (experiment.y, "Y"))
            ]
            assert resamples.gap[r, column] == pytest.approx(mean(fixed[0]) - mean(fixed[1]))
            assert resamples.d[r, column] == pytest.approx(size(fixed[0], fixed[1]))
            moved = [
                [s_of(arm, column, i, draws["A"][r], draws["B"][r]) for i in draws[key][r]]
                for arm, key in ((experiment.x, "X"), (experiment.y, "Y"))
            ]
            assert resamples.d_all[r, column] == pytest.approx(size(moved[0], moved[1]))


def test_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = resampled(random_experiment(1), 50, 0, "made")
    monkeypatch.setattr(bootstrap, "BATCH", 37)
    for one, other in zip(whole, resampled(random_experiment(1), 50, 0, "made"), strict=True):
        assert one == pytest.approx(other, rel=1e-12)


def test_names_and_seeds_make_draws() -> None:
    first = resampled(random_experiment(1), 50, 0, "one").gap
    assert not np.array_equal(first, resampled(random_experiment(1), 50, 0, "two").gap)
    assert not np.array_equal(first, resampled(random_experiment(1), 50, 1, "one").gap)


def test_intervals_are_quantiles() -> None:
    draws = np.random.default_rng(0).normal(size=(4000, 2))
    draws[:100, 1] = np.nan
    low, high = interval(draws, 0.9)
    for column in range(2):
        finite = draws[~np.isnan(draws[:, column]), column]
        assert (low[column], high[column]) == pytest.approx(np.quantile(finite, [0.05, 0.95]))
    draws[:3000] = np.nan
    assert np.isnan(interval(draws, 0.9)).all()


def test_equal_s_has_no_interval_of_d() -> None:
    x = Arm(np.ones((1, 4, 2)), np.zeros((1, 4, 2)), np.ones(2), np.ones(2))
    resamples = resampled(Experiment("weat", x, x), 30, 0, "made")
    assert np.isnan(resamples.d).all() and np.isnan(interval(resamples.d, 0.95)).all()
    assert resamples.gap == pytest.approx(0)


def near_one(numbers: np.random.Generator, n: int, shift: float) -> Arm:
    """Targets whose s is normal, about `shift`."""
    s = numbers.normal(shift, 1, size=(1, n, 1))
    return Arm(s, np.zeros_like(s), np.ones(1), np.ones(1))


@pytest.mark.parametrize(("words", "share"), [(3, 0.81), (8, 0.9), (30, 0.94)])
def test_the_gap_is_covered_as_often_as_the_guide_says(words: int, share: float) -> None:
    numbers = np.random.default_rng(0)
    covered = 0
    for trial in range(500):
        experiment = Experiment("weat", near_one(numbers, words, 0.5), near_one(numbers, words, 0))
        low, high = interval(resampled(experiment, 300, trial, "made").gap, 0.95)
        covered += bool(low[0] <= 0.5 <= high[0])
    assert covered / 500 == pytest.approx(share, abs=0.035)
