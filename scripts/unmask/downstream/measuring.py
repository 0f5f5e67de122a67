"""From the predictions of one model on one task to its SCORES."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from unmask.by_name import load
from unmask.downstream.estimates import Estimate, Floats, Main, spread_of
from unmask.downstream.predictions import Run
from unmask.downstream.schema import SCORES
from unmask.downstream.terms import CHANGE
from unmask.errors import InputError
from unmask.tables import framed

METRICS = "downstream/metrics"
"""The folder of their modules (see unmask.by_name)."""


@dataclass(frozen=True)
class Measured:
    """SCORES of one model on one task.

    metrics: their names, the main one first. remarks: what was left out.
    """

    rows: pd.DataFrame
    metrics: tuple[str, ...]
    remarks: tuple[str, ...]


def measured(
    kind: str,
    items: pd.DataFrame,
    runs: Sequence[Run],
    draws: int,
    confidence: float,
    origin: Sequence[Run] = (),
) -> Measured:
    """The metrics of every step and run, and of the mean of the runs (a row without a seed).

    items: as ITEMS. origin: the runs of the model that this one was made from; with them the last step has
    the row `change`, how much more the main metric is than that model's, paired by what repeats and by seed,
    with Student's t.
    Raises InputError as unmask.downstream.metrics do, and where `origin` has no seed of the runs.
    """
    module = load(METRICS, kind)
    seeds = [run.seed for run in runs]
    rows: list[dict[str, object]] = []
    remarks: list[str] = []
    prepared: tuple[Any, Any] | None = None
    for step in runs[0].steps:
        own = runs[0].steps[step][0]
        if prepared is None or not np.array_equal(prepared[0], own):
            try:
                prepared = own, module.Measuring(items.iloc[own], draws)
            except InputError as error:
                raise InputError(f"{runs[0].path}: step {step}: {error}") from None
        measuring = prepared[1]
        logits = np.stack([run.steps[step][1] for run in runs])
        for estimate in measuring.estimates(logits):
            rows += estimate.rows(seeds, step, confidence)
        if step == runs[0].last:
            remarks += measuring.remarks
            if origin:
                rows += _change(measuring, runs, origin).rows(
                    _shared(runs, origin), step, confidence, tested=True
                )
    if len(runs) == 1:
        remarks.append("one run: intervals say nothing of how much runs differ")
    return Measured(framed(rows, SCORES), module.METRICS, tuple(remarks))


def _shared(runs: Sequence[Run], origin: Sequence[Run]) -> list[int]:
    """The seeds of both."""
    others = {run.seed for run in origin}
    return [run.seed for run in runs if run.seed in others]


def _change(measuring: Any, runs: Sequence[Run], origin: Sequence[Run]) -> Estimate:
    shared = _shared(runs, origin)
    if not shared:
        raise InputError(f"{origin[0].path}: has no seed of {runs[0].path}")
    after: Main = measuring.main(_last(runs, shared))
    before: Main = measuring.main(_last(origin, shared))
    return Estimate(
        CHANGE,
        None,
        after.values - before.values,
        after.n,
        after.units,
        spread_of(after.influence - before.influence, after.dependence),
    )


def _last(runs: Sequence[Run], seeds: Sequence[int]) -> Floats:
    of_seed = {run.seed: run for run in runs}
    return np.stack([of_seed[seed].steps[of_seed[seed].last][1] for seed in seeds])


def last_of(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the last step. rows: SCORES."""
    last: pd.DataFrame = rows[rows["step"] == rows["step"].max()]
    return last


def overall(rows: pd.DataFrame) -> Iterator[Any]:
    """Of the last step the means over the runs, of all occupations together. rows: SCORES."""
    last = last_of(rows)
    yield from last[last["seed"].isna() & last["group"].isna()].itertuples(index=False)
