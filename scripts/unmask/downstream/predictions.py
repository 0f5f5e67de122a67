"""Reading what the runs of one model on one task predict, and what these predictions are of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from unmask.downstream.estimates import Floats
from unmask.downstream.schema import PREDICTIONS
from unmask.errors import InputError
from unmask.statistics.intervals import Ints
from unmask.tables import opened_table, read_metadata, unreadable


@dataclass(frozen=True)
class Run:
    """What one run predicts.

    facts: the metadata of its table. steps: of each step, the items in order, and their logits, shape (items,
    labels).
    """

    path: str
    facts: Mapping[str, Any]
    steps: Mapping[int, tuple[Ints, Floats]]

    @property
    def seed(self) -> int:
        return int(self.facts["seed"])

    @property
    def last(self) -> int:
        """The last step."""
        return max(self.steps)


def read_run(path: str | Path, items: int) -> Run:
    """The table of one run, of a task with so many items.

    Raises InputError where it is no such table, where an item is there twice in one step or not among the
    items, where the last step lacks items, and where a logit is not finite.
    """
    with opened_table(path, PREDICTIONS) as file:
        try:
            table = file.read()
        except (pa.ArrowException, OSError) as error:
            raise unreadable(path, error) from None
    if not len(table):
        raise InputError(f"{path}: has no prediction")
    lists = table.column("logits").combine_chunks()
    lists = lists.chunk(0) if isinstance(lists, pa.ChunkedArray) else lists
    widths = np.unique(np.asarray(lists.value_lengths()))
    if len(widths) != 1 or widths[0] < 1:
        raise InputError(f"{path}: its rows have different numbers of logits")
    logits = lists.flatten().to_numpy().reshape(len(table), int(widths[0]))
    of_step, item = (table.column(name).to_numpy().astype(np.int64) for name in ("step", "item"))
    broken = np.flatnonzero(~np.isfinite(logits).all(axis=1))
    if len(broken):
        place = broken[0]
        raise InputError(
            f"{path}: step {of_step[place]}, item {item[place]}: a logit is not a finite number "
            f"({len(broken)} such rows)"
        )
    steps: dict[int, tuple[Ints, Floats]] = {}
    for step in np.unique(of_step).tolist():
        rows = np.flatnonzero(of_step == step)
        rows = rows[np.argsort(item[rows], kind="stable")]
        own = item[rows]
        if len(np.unique(own)) != len(own) or own[0] < 0 or own[-1] >= items:
            raise InputError(
                f"{path}: step {step} has an item twice, or one that is not among the {items} items"
            )
        steps[step] = own, logits[rows]
    run = Run(str(path), read_metadata(path), steps)
    if len(run.steps[run.last][0]) != items:
        raise InputError(f"{path}: its last step, {run.last}, has not all of the {items} items")
    return run


def read_runs(paths: Sequence[str | Path], items: int, task: str) -> list[Run]:
    """The runs of one model, in the order of their seeds.

    Raises InputError as read_run does, where there is none, where a run is of another task, and where they
    are of several models, have a seed twice or other steps.
    """
    runs = sorted((read_run(path, items) for path in paths), key=lambda run: run.seed)
    if not runs:
        raise InputError(f"predictions: there is no run of the task {task}")
    first = runs[0]
    for run in runs:
        if run.facts["task"] != task:
            raise InputError(f"{run.path}: is of the task {run.facts['task']}, not {task}")
        if run.facts["model"] != first.facts["model"]:
            raise InputError(f"{run.path}: is of the model {run.facts['model']}, not {first.facts['model']}")
        if list(run.steps) != list(first.steps) or any(
            not np.array_equal(run.steps[step][0], first.steps[step][0]) for step in run.steps
        ):
            raise InputError(f"{run.path}: has other steps or items than {first.path}")
    if len({run.seed for run in runs}) != len(runs):
        raise InputError(f"{runs[0].path}: two runs have the same seed")
    return runs
