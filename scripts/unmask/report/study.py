"""What a study holds, in its order, and the tables of all its models and benchmarks in one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from unmask.study_results import load_tables

UNTRAINED, ORACLE = "random", "oracle"
"""The sources of networks with random weights, and of models that are no networks: the ties of these are
exact, and what they prefer was planted."""

SCORED = "scored"
"""The source of models whose scores were made elsewhere."""


@dataclass(frozen=True)
class Named:
    """A model or a benchmark of the study.

    published: the name under which its published values are known (resources/pairs/published.csv), if any.
    source: where a model comes from (train, hub, path, random, oracle), if known.
    world: the world that makes a benchmark, if one does.
    format: that of a benchmark's file, if known.
    """

    name: str
    published: str | None = None
    source: str | None = None
    world: str | None = None
    format: str | None = None

    @classmethod
    def from_config(cls, entry: Mapping[str, Any]) -> "Named":
        optional = ("published", "source", "world", "format")
        return cls(str(entry["name"]), **{key: entry.get(key) for key in optional})


@dataclass(frozen=True)
class Study:
    """The models and benchmarks of a study, in the order in which they are shown."""

    models: tuple[Named, ...]
    benchmarks: tuple[Named, ...]

    @classmethod
    def from_config(
        cls, models: Iterable[Mapping[str, Any]], benchmarks: Iterable[Mapping[str, Any]]
    ) -> "Study":
        """From lists of mappings with `name` and, where they are known, the other fields of Named."""
        return cls(tuple(map(Named.from_config, models)), tuple(map(Named.from_config, benchmarks)))

    def of_source(self, source: str) -> list[str]:
        """The names of the models from there."""
        return [model.name for model in self.models if model.source == source]

    def trained(self) -> list[str]:
        """The names of the models that are neither untrained nor oracles."""
        return [model.name for model in self.models if model.source not in (UNTRAINED, ORACLE)]

    def of_trained(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows of trained models, by the column model, or by first and second where two are compared."""
        names = rows[["model"] if "model" in rows else ["first", "second"]]
        return rows[names.isin(self.trained()).all(axis="columns")]

    def collect(self, paths: Iterable[str | Path], schema: pa.Schema) -> pd.DataFrame:
        """The tables at `paths` as one, with the columns model and benchmark first, in the study's order.

        Tables of what is not in the study are left out. Raises InputError as `load_tables` does.
        """
        order = {"model": _names(self.models), "benchmark": _names(self.benchmarks)}
        return load_tables(paths, schema, "model", "benchmark", order=order)

    def of_benchmarks(self, paths: Iterable[str | Path], schema: pa.Schema) -> pd.DataFrame:
        """Tables of one benchmark each as one, likewise."""
        order = {"benchmark": _names(self.benchmarks)}
        return load_tables(paths, schema, "benchmark", order=order)


def _names(entries: Iterable[Named]) -> list[str]:
    return [entry.name for entry in entries]
