"""A greedy search for the settings of fine-tuning: one setting after another, each with the best so far."""

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from unmask.downstream.terms import DEV
from unmask.errors import InputError

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Chosen:
    """The settings that a search chooses, in the order in which it does."""

    batch: int
    learning_rate: float
    epochs: int

    @property
    def name(self) -> str:
        """For files."""
        return f"{self.batch}-{self.learning_rate!r}-{self.epochs}"


def search(
    start: Chosen,
    lists: Mapping[str, Sequence[Any]],
    result: Callable[[Chosen], float | None],
    forget: Callable[[Chosen], None],
) -> Chosen:
    """The best settings: of each in its turn the best value of its list, all others as they are by then.

    start: what a setting is before its turn. lists: the values of each setting, tried in their order; of
    equally good ones the first is best. result: what some settings give, the higher the better, or None where
    that is undefined; it is asked again for what was tried before. forget: called with settings that cannot
    be the best any more, perhaps several times.
    Raises InputError where no value of a list has a result.
    """
    best = start
    for key in asdict(start):
        before, score = best, -math.inf
        for value in lists[key]:
            trial = replace(before, **{key: value})
            trial_score = result(trial)
            if trial_score is not None and trial_score > score:
                worse, best, score = best, trial, trial_score
            else:
                worse = trial
            # that of before may still have its turn
            if worse not in (best, before):
                forget(worse)
        if score == -math.inf:
            raise InputError(
                f"search: no {key} of {', '.join(map(str, lists[key]))} has a result on the part {DEV}, "
                "where all labels are the same, or all predictions"
            )
        if before != best:
            forget(before)
        logger.info("search: %s %s is best, %.4f on the part %s", key, getattr(best, key), score, DEV)
    return best
