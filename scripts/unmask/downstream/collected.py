"""The tables of all models and tasks of a study in one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.downstream.schema import SCORES
from unmask.downstream.terms import MAIN
from unmask.loading import Order, facts_by, load_tables


@dataclass(frozen=True)
class Collected:
    """SCORES of all models and tasks.

    rows: with the columns model and task first. facts: the metadata of each table, by task and model.
    """

    rows: pd.DataFrame
    facts: Mapping[tuple[str, ...], Mapping[str, Any]]

    def last(self) -> pd.DataFrame:
        """The rows of the last step of each, mean over the runs, of all occupations together."""
        rows = self.final()
        found: pd.DataFrame = rows[rows["seed"].isna() & rows["group"].isna()]
        return found

    def final(self) -> pd.DataFrame:
        """The rows of the last step of each."""
        steps = self.rows.groupby(["task", "model"])["step"].transform("max")
        found: pd.DataFrame = self.rows[self.rows["step"] == steps]
        return found

    def main(self) -> pd.DataFrame:
        """Of `last` the rows of the main metric."""
        rows = self.last()
        kinds = [
            str(self.facts[task, model]["kind"])
            for task, model in zip(rows["task"], rows["model"], strict=True)
        ]
        found: pd.DataFrame = rows[rows["metric"] == [MAIN[kind] for kind in kinds]]
        return found


def collect(paths: Iterable[str | Path], order: Order | None = None) -> Collected:
    """The tables at `paths`, in their order or in `order` (as `load_tables` has it).

    Raises InputError where two are of one model and task.
    """
    every = list(paths)
    rows = load_tables(every, SCORES, "model", "task", order=order)
    return Collected(rows, facts_by(every, "task", "model"))
