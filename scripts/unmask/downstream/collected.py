"""The tables of all models and tasks of a study in one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.downstream.schema import SCORES
from unmask.downstream.terms import MAIN
from unmask.errors import InputError
from unmask.tables import read_metadata, read_table


@dataclass(frozen=True)
class Collected:
    """SCORES of all models and tasks.

    rows: with the columns model and task first. facts: the metadata of each table, by task and model.
    """

    rows: pd.DataFrame
    facts: Mapping[tuple[str, str], Mapping[str, Any]]

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


def collect(paths: Iterable[str | Path]) -> Collected:
    """The tables at `paths`, in their order. Raises InputError where two are of one model and task."""
    parts: list[pd.DataFrame] = []
    facts: dict[tuple[str, str], Mapping[str, Any]] = {}
    for path in paths:
        about = read_metadata(path)
        key = str(about["task"]), str(about["model"])
        if key in facts:
            raise InputError(f"{path}: a second table of model {key[1]} and task {key[0]}")
        facts[key] = about
        rows = read_table(path, SCORES)
        rows.insert(0, "model", key[1])
        rows.insert(1, "task", key[0])
        parts.append(rows)
    if not parts:
        return Collected(pd.DataFrame(columns=["model", "task", *SCORES.names]), {})
    return Collected(pd.concat(parts, ignore_index=True), facts)
