"""Whether a task can be learnt as its settings say, before a model is run."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from unmask.downstream.task import Task
from unmask.downstream.terms import DEV, SEARCH, SIMILARITY, TRAIN
from unmask.errors import InputError

MOST_LABELS = 1 << 15
"""More are taken for a mistake, such as a column of numbers that are no labels."""


def check_task(task: Task, kind: str, entry: Mapping[str, Any]) -> None:
    """Raise InputError naming what is wrong with a task, or with how it is to be learnt.

    entry: the settings of fine-tuning, completed. Refused are: no examples to train on, or to choose by in a
    search; no items; a search with a fixed number of steps; second sentences in some rows only; labels of
    examples that are none of the task's, scores that are not from 0 to 1; fewer than 2 labels or more than
    MOST_LABELS.
    """
    if (kind == SIMILARITY) != (task.labels is None):
        raise InputError(f"a task of the kind {kind} {'without' if task.labels is None else 'with'} labels")
    if not (task.examples["part"] == TRAIN).any():
        raise InputError(f"there are no examples of the part {TRAIN} to train on")
    if task.items.empty:
        raise InputError("there are no items to predict")
    if entry["how"] == SEARCH:
        if not (task.examples["part"] == DEV).any():
            raise InputError(f"there are no examples of the part {DEV} to choose settings by")
        if entry["steps"] is not None:
            raise InputError("fine_tuning.steps cannot be stated in a search, which chooses the epochs")
    _check_seconds(task)
    _check_labels(task)


def _check_seconds(task: Task) -> None:
    has = {}
    for what, frame in (("examples", task.examples), ("items", task.items)):
        some = frame["second"].notna().to_numpy()
        has[what] = bool(some.any())
        if has[what] and not some.all():
            raise InputError(f"row {int((~some).argmax())} of the {what} has no second sentence, others have")
    if has["examples"] != has["items"]:
        alone = "items" if has["examples"] else "examples"
        raise InputError(f"the {alone} have no second sentences, as the others have")


def _check_labels(task: Task) -> None:
    labels = task.examples["label"].to_numpy(np.float64)
    if task.labels is None:
        right = (labels >= 0) & (labels <= 1)
        wanted = "a score from 0 to 1"
    else:
        number = len(task.labels)
        if not 2 <= number <= MOST_LABELS:
            raise InputError(f"{number} labels: there must be at least 2 and at most {MOST_LABELS}")
        right = np.isin(labels, np.arange(number))
        wanted = f"the number of one of the {number} labels"
    if not right.all():
        row = int(right.argmin())
        raise InputError(f"row {row} of the examples: the label {labels[row]:g} is not {wanted}")
