"""The greedy search finds what a literal one finds, and keeps what it needs."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from unmask.downstream.searching import Chosen, search
from unmask.errors import InputError

LISTS: dict[str, list[Any]] = {
    "batch": [16, 32, 64],
    "learning_rate": [1e-5, 3e-5, 5e-5],
    "epochs": [1, 3, 5],
}
START = Chosen(32, 3e-5, 3)


class Trials:
    """Settings with results of few values, so that there are ties."""

    def __init__(self, start: Chosen, seed: int) -> None:
        rng = np.random.default_rng(seed)
        values = [[getattr(start, key), *LISTS[key]] for key in LISTS]
        self.results = {Chosen(*each): float(rng.integers(4)) for each in product(*values)}
        self.asked: dict[Chosen, None] = {}
        self.kept: set[Chosen] = set()

    def result(self, one: Chosen) -> float:
        if one not in self.asked:
            self.asked[one] = None
            self.kept.add(one)
        return self.results[one]


def literal(results: dict[Chosen, float], start: Chosen) -> Chosen:
    """The batch, then the rate, then the epochs: the first of those with the largest result."""

    def best_of(some: list[Chosen]) -> Chosen:
        return max(some, key=lambda one: (results[one], -some.index(one)))

    batch = best_of([Chosen(b, start.learning_rate, start.epochs) for b in LISTS["batch"]]).batch
    rate = best_of([Chosen(batch, r, start.epochs) for r in LISTS["learning_rate"]]).learning_rate
    return best_of([Chosen(batch, rate, e) for e in LISTS["epochs"]])


@pytest.mark.parametrize("start", [START, Chosen(8, 1e-3, 2), Chosen(64, 1e-5, 5)])
def test_a_search_is_greedy_and_keeps_the_best(start: Chosen) -> None:
    for seed in range(300):
        trials = Trials(start, seed)
        best = search(start, LISTS, trials.result, trials.kept.discard)
        assert best == literal(trials.results, start)
        assert trials.kept == {best}
        assert len(trials.asked) == (7 if start.batch in LISTS["batch"] else 9)
        # a search that begins again with what was tried finds and keeps the same
        assert search(start, LISTS, trials.result, trials.kept.discard) == best
        assert trials.kept == {best}


def test_what_has_no_result_is_never_the_best() -> None:
    results = {16: None, 32: -0.5, 64: None}
    best = search(START, LISTS, lambda one: results[one.batch], lambda one: None)
    assert best.batch == 32
    with pytest.raises(InputError, match="search: no batch of 16, 32, 64 has a result on the part dev"):
        search(START, LISTS, lambda one: None, lambda one: None)
