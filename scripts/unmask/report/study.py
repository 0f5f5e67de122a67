"""What a study holds, in its order, and the tables of all its models and benchmarks in one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from unmask.errors import InputError
from unmask.tables import read_metadata, read_table

UNTRAINED, ORACLE = "random", "oracle"
"""The sources of networks with random weights, and of models that are no networks: the ties of these are
exact, and what they prefer was planted."""


@dataclass(frozen=True)
class Named:
    """A model or a benchmark of the study.

    published: the name under which its published values are known (resources/pairs/published.csv), if any.
    source: where a model comes from (train, hub, path, random, perturbed, oracle), if known.
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

    def collect(self, paths: Iterable[str | Path], schema: pa.Schema) -> pd.DataFrame:
        """The tables at `paths` as one, with the columns model and benchmark (from their metadata) first.

        In the study's order; tables of what is not in the study are left out.
        Raises InputError where two tables are of the same model and benchmark.
        """
        parts: dict[tuple[str, str], pd.DataFrame] = {}
        for path in paths:
            facts = read_metadata(path)
            key = (str(facts.get("model")), str(facts.get("benchmark")))
            if key in parts:
                raise InputError(f"{path}: a second table of model {key[0]} and benchmark {key[1]}")
            rows = read_table(path, schema)
            rows.insert(0, "model", key[0])
            rows.insert(1, "benchmark", key[1])
            parts[key] = rows
        ordered = [
            parts[model.name, benchmark.name]
            for model in self.models
            for benchmark in self.benchmarks
            if len(parts.get((model.name, benchmark.name), ()))
        ]
        if not ordered:
            return pd.DataFrame(columns=["model", "benchmark", *schema.names])
        return pd.concat(ordered, ignore_index=True)


def collect_by_benchmark(paths: Iterable[str | Path], schema: pa.Schema) -> pd.DataFrame:
    """Tables of one benchmark each as one, with the column benchmark (from their metadata) first."""
    parts = []
    for path in paths:
        rows = read_table(path, schema)
        rows.insert(0, "benchmark", str(read_metadata(path)["benchmark"]))
        parts.append(rows)
    return pd.concat(parts, ignore_index=True)
