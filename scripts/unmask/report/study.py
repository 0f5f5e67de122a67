"""What the report knows of a study's models and benchmarks: their order and names, and values that others
have published of them.

A family's published values are resources/{family}/published.csv, with a row for each: source and table,
columns of its family, value, doubtful and why. Lines before its header that begin with # say where values
were read. Families merge the rows with theirs by keys.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
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

    published: the name under which its published values are known, if any.
    source: where a model comes from, the `source` of its entry (hub, train, scored, …), if known.
    world: the world that makes a benchmark, if one does.
    format: that of a benchmark's file, if known.
    """

    name: str
    published: str | None = None
    source: str | None = None
    world: str | None = None
    format: str | None = None


@dataclass(frozen=True)
class Study:
    """The models and benchmarks of a study, in the order in which they are shown."""

    models: Sequence[Named]
    benchmarks: Sequence[Named]

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Study":
        """From settings with lists of `models` and `benchmarks`, each with fields of Named."""
        models, benchmarks = ([Named(**each) for each in settings[key]] for key in ("models", "benchmarks"))
        return cls(models, benchmarks)

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

    def collect(self, paths: Iterable[str | Path], schema: pa.Schema, *keys: str) -> pd.DataFrame:
        """The tables at `paths` as one, in the order of the study. keys: model, benchmark or both, in front.

        Tables of what is not in the study are left out. Raises InputError as `load_tables` does.
        """
        entries = {"model": self.models, "benchmark": self.benchmarks}
        order = {key: [each.name for each in entries[key]] for key in keys}
        return load_tables(paths, schema, *keys, order=order)


# values that others have published

DOUBT = "?"
"""The mark of a printed value that can hardly be meant."""

UNMASKING_THE_MASK = "Kaneko and Bollegala (2022)"
"""The paper that the tables over sentence pairs, and those of word frequency, follow."""

FLAGS = ("doubtful", "dagger", "larger")
"""Columns with `yes` or nothing."""


def read_published(path: str | Path) -> pd.DataFrame:
    """The rows of a file in its order; empty cells are null, and FLAGS true or false.

    doubtful: whether a value can hardly be meant; why: what is odd about it. A row without a value has a
    reason, and is about a whole table.
    """
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    head = len([*takewhile(lambda line: line.startswith("#"), lines)])
    # NA is North America
    rows = pd.read_csv(path, skiprows=head, keep_default_na=False, na_values=[""], dtype={"ddof": str})
    rows = rows.astype({name: object for name in rows if rows[name].isna().all()})
    return rows.assign(**{name: rows[name] == "yes" for name in FLAGS if name in rows})


def doubts(published: pd.DataFrame) -> tuple[str, ...]:
    """What is odd about published values, in the order of their rows."""
    return tuple(published["why"].dropna().drop_duplicates())
