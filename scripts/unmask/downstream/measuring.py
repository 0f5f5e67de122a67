"""From the predictions of one model on one task to its SCORES."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from unmask.downstream.estimates import Estimate, Floats, MainMetric, spread_of
from unmask.downstream.schema import PREDICTIONS, SCORES
from unmask.downstream.terms import CHANGE
from unmask.errors import InputError
from unmask.plugins import load
from unmask.statistics.intervals import Ints
from unmask.tables import framed, opened_table, read_metadata, unreadable

METRICS = "downstream/metrics"
"""The folder of their modules (see unmask.plugins)."""


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
        numbers = item[rows]
        if len(np.unique(numbers)) != len(numbers) or numbers[0] < 0 or numbers[-1] >= items:
            raise InputError(
                f"{path}: step {step} has an item twice, or one that is not among the {items} items"
            )
        steps[step] = numbers, logits[rows]
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


@dataclass(frozen=True)
class ModelScores:
    """SCORES of one model on one task.

    metrics: their names, the main one first. remarks: what was left out.
    """

    rows: pd.DataFrame
    metrics: tuple[str, ...]
    remarks: tuple[str, ...]


def measure(
    kind: str,
    items: pd.DataFrame,
    runs: Sequence[Run],
    draws: int,
    confidence: float,
    origin: Sequence[Run] = (),
) -> ModelScores:
    """The metrics of every step and run, and of the mean of the runs (a row without a seed).

    items: as ITEMS. draws: permutations of the genders behind a null distribution. origin: the runs of the
    model that this one was made from; with them the last step has the row `change`, how much more the main
    metric is than that model's, paired by what repeats and by seed, with Student's t.
    Raises InputError as unmask.downstream.metrics do, and where `origin` has no seed of the runs.
    """
    module = load(METRICS, kind)
    seeds = [run.seed for run in runs]
    rows: list[dict[str, object]] = []
    remarks: list[str] = []
    measured: Ints | None = None
    measuring: Any = None
    for step in runs[0].steps:
        numbers = runs[0].steps[step][0]
        if measured is None or not np.array_equal(measured, numbers):
            try:
                measuring = module.Measuring(items.iloc[numbers], draws)
            except InputError as error:
                raise InputError(f"{runs[0].path}: step {step}: {error}") from None
            measured = numbers
        logits = np.stack([run.steps[step][1] for run in runs])
        for estimate in measuring.estimates(logits):
            rows += estimate.rows(seeds, step, confidence)
        if step == runs[0].last:
            remarks += measuring.remarks
            if origin:
                rows += _change(measuring, runs, origin, confidence)
    if len(runs) == 1:
        remarks.append("one run: intervals say nothing of how much runs differ")
    return ModelScores(framed(rows, SCORES), module.METRICS, tuple(remarks))


def _change(
    measuring: Any, runs: Sequence[Run], origin: Sequence[Run], confidence: float
) -> Iterator[dict[str, object]]:
    """The rows `change` of the last step, of the seeds that both models have."""
    seeds_before = {run.seed for run in origin}
    seeds = [run.seed for run in runs if run.seed in seeds_before]
    if not seeds:
        raise InputError(f"{origin[0].path}: has no seed of {runs[0].path}")
    after: MainMetric = measuring.main(_last_logits(runs, seeds))
    before: MainMetric = measuring.main(_last_logits(origin, seeds))
    change = Estimate(
        CHANGE,
        None,
        after.values - before.values,
        after.n,
        after.units,
        spread_of(after.influence - before.influence, after.dependence),
    )
    yield from change.rows(seeds, runs[0].last, confidence, tested=True)


def _last_logits(runs: Sequence[Run], seeds: Sequence[int]) -> Floats:
    """The logits of the last step of these seeds, shape (seeds, items, labels)."""
    of_seed = {run.seed: run for run in runs}
    return np.stack([of_seed[seed].steps[of_seed[seed].last][1] for seed in seeds])
