"""The one reader of a study's tables: of all its models, benchmarks, tasks … as one frame, with what each row
is of in the columns in front. Jobs read the files that they are given; `unmask.load` reads a folder.

With its models and benchmarks, their order and names, and values that others have published of them.

A family's published values are resources/{family}/published.csv, with a row for each: source and table,
columns of its family, value, doubtful and why. Lines before its header that begin with # say where values
were read. Families merge the rows with theirs by keys.
"""

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from glob import glob
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa

from unmask import LIBRARY
from unmask.errors import InputError, known_names
from unmask.tables import UNREADABLE, meaning_of, plain_schema, read_arrow, read_metadata, read_table
from unmask.terms import CORRECTED, ORIGINAL


def load_tables(paths: Iterable[str | Path], schema: pa.Schema, *keys: str) -> pd.DataFrame:
    """Tables of one schema as one frame, in the order of the paths, with the columns `keys` in front and
    dictionary columns as strings.

    A key is a fact in a table's metadata, of all its rows. Without rows the frame has the columns and types
    of the schema. Raises InputError as `read_table` does, and as `facts_by` does of the keys in the metadata.
    """
    every = list(paths)
    frame: pd.DataFrame = _joined(zip(every, facts_by(every, *keys), strict=True), schema, keys).to_pandas()
    return frame


def facts_by(paths: Iterable[str | Path], *keys: str) -> dict[tuple[str, ...], dict[str, Any]]:
    """The metadata of tables by their values of `keys`, in the order of the paths.

    Raises InputError where a table does not state one of them, or two tables state the same.
    """
    facts: dict[tuple[str, ...], dict[str, Any]] = {}
    for path in paths:
        of_table = read_metadata(path)
        if not set(keys) <= set(of_table):
            raise InputError(f"{path}: {UNREADABLE}")
        values = tuple(str(of_table[key]) for key in keys)
        if values in facts:
            what = ", ".join(f"{key} {value}" for key, value in zip(keys, values, strict=True))
            raise InputError(f"{path}: a second table of {what}; delete it and run again")
        facts[values] = of_table
    return facts


def tables_by(paths: Iterable[str | Path], schema: pa.Schema, key: str) -> dict[str, pd.DataFrame]:
    """Tables by their value of one key; raises as `facts_by` and `read_table` do."""
    every = list(paths)
    names = [name for (name,) in facts_by(every, key)]
    return {name: read_table(path, schema) for name, path in zip(names, every, strict=True)}


def _with_keys(schema: pa.Schema, keys: Iterable[str]) -> pa.Schema:
    """The schema of tables in one frame: the columns `keys` in front, dictionary columns as strings."""
    types = {key: pa.int64() if key == "seed" else pa.string() for key in keys}
    return pa.schema([*(pa.field(*each, nullable=False) for each in types.items()), *plain_schema(schema)])


def _joined(
    files: Iterable[tuple[str | Path, Iterable[str]]], schema: pa.Schema, keys: Sequence[str]
) -> pa.Table:
    """The tables of files as one; each file comes with its values of `keys`."""
    whole = _with_keys(schema, keys)
    parts = [whole.empty_table()]
    for path, values in files:
        rows = read_arrow(path, schema)
        of_keys = [pa.repeat(value, len(rows)) for value in values]
        parts.append(pa.Table.from_arrays([*of_keys, *rows.columns], whole.names).cast(whole))
    return pa.concat_tables(parts)


# the models and benchmarks of a study

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


# a folder of results


class DeclaredTable(NamedTuple):
    """A table of which a study may have files.

    path: of a file below the study's folder, such as "statistics/{model}/{benchmark}/bias.parquet"; what
    stands in braces is a key, the same for all rows of a file.
    """

    path: str
    schema: pa.Schema

    @property
    def keys(self) -> list[str]:
        return re.findall(r"\{(\w+)\}", self.path)

    def keys_of(self, path: str) -> dict[str, str] | None:
        """The keys of a file by its path below the study's folder; None of a file of another table."""
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(self.path))
        match = re.fullmatch(pattern, path)
        return match.groupdict() if match else None


def declared_tables() -> dict[str, DeclaredTable]:
    """The tables of all families, by name: TABLES of each unmask/{family}/result_files.py.

    Jobs read none of it, so it is in no result's digest.
    """
    # not by unmask.plugins, whose modules a rule has to name to its digest
    from importlib import import_module  # noqa: TID251

    paths = sorted(LIBRARY.glob("*/result_files.py"))
    modules = (import_module(f"unmask.{path.parent.name}.{path.stem}") for path in paths)
    return {name: DeclaredTable(*each) for module in modules for name, each in module.TABLES.items()}


class TableFile(NamedTuple):
    """A file of a table. keys: what all its rows are of, by its path."""

    path: Path
    keys: Mapping[str, str]


class StudyResults(Mapping[str, pd.DataFrame]):
    """The tables of one study by name, each over all its models, benchmarks, tasks …

    Key columns, such as model and benchmark, stand in front, and rows are in the order of their values. A
    table is read each time that it is asked for.
    """

    def __init__(self, folder: str | Path) -> None:
        """Raises InputError where the folder is not there or holds no table of a study."""
        self.folder = Path(folder)
        self._declared = declared_tables()
        if not self._files:
            raise InputError(f"{self.folder}: no results of a study; these are in results/STUDY")

    @cached_property
    def _files(self) -> dict[str, list[TableFile]]:
        """The files of each table that has some, in the order of their keys."""
        by_table: dict[str, list[TableFile]] = {}
        left = set(glob("**/*.parquet", root_dir=self.folder, recursive=True))
        for name, declared in self._declared.items():
            keys = {path: keys for path in left if (keys := declared.keys_of(path)) is not None}
            left -= keys.keys()
            files = [TableFile(self.folder / path, of_path) for path, of_path in keys.items()]
            if files:
                by_table[name] = sorted(files, key=lambda file: list(map(_sortable, file.keys.values())))
        return by_table

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __contains__(self, name: object) -> bool:
        # Mapping's own would read the table
        return name in self._files

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, name: str) -> pd.DataFrame:
        """The table of that name. Raises KeyError as `read` does."""
        return self.read(name)

    def read(self, name: str, **keys: object) -> pd.DataFrame:
        """The same of some files alone: read("evidence", model="bert", variant="original").

        Raises KeyError for a name that the study has no table of, or a key that tells its files not apart;
        InputError where a file cannot be read or is one of another version.
        """
        files, declared = self.files(name), self._declared[name]
        for key in keys:
            if key not in declared.keys:
                raise KeyError(f"{key!r}: no key of {name}, which has {', '.join(declared.keys) or 'none'}")
        chosen = [file for file in files if all(file.keys[key] == str(value) for key, value in keys.items())]
        tables = ((file.path, file.keys.values()) for file in chosen)
        frame: pd.DataFrame = _joined(tables, declared.schema, declared.keys).to_pandas()
        return frame

    def files(self, name: str) -> list[TableFile]:
        """The files of a table, each with `path` and `keys`. Raises KeyError for an unknown name."""
        if name not in self._files:
            why = "this study has no such table" if name in self._declared else "no such table"
            raise KeyError(f"{name!r}: {why} ({known_names(name, self._files, 'tables')})")
        return self._files[name]

    def columns(self, name: str) -> pd.DataFrame:
        """The columns of a table: column (its name), type, and meaning with its unit; keys of files first.

        Raises KeyError for an unknown name.
        """
        self.files(name)
        columns = _with_keys(self._declared[name].schema, self._declared[name].keys)
        rows = [
            (column.name, f"{column.type}{' or null' * column.nullable}", meaning_of(column))
            for column in columns
        ]
        return pd.DataFrame(rows, columns=["column", "type", "meaning"])

    @property
    def scores(self) -> pd.DataFrame:
        """The bias scores (% of all pairs of a benchmark): model, benchmark, measure, n, score, its interval
        (low, high), the band of word choice alone (null_low, null_high), p_holm and verdict."""
        return self._scores("overall").drop(columns="group")

    @property
    def scores_by_type(self) -> pd.DataFrame:
        """The same of each bias type, which the column bias_type names."""
        return self._scores("bias_type").rename(columns={"group": "bias_type"})

    def _scores(self, grouping: str) -> pd.DataFrame:
        """The corrected bias scores in tables/bias.csv; without rows where that is not there."""
        path, columns = self.folder / "tables/bias.csv", ["model", "benchmark", "measure", "group"]
        columns += ["n", "score", "low", "high", "null_low", "null_high", "p_holm", "verdict"]
        if not path.is_file():
            return pd.DataFrame(columns=columns)
        bias = pd.read_csv(path)
        of = (bias["variant"] == ORIGINAL) & (bias["protocol"] == CORRECTED) & (bias["grouping"] == grouping)
        # results of an earlier version have not all columns
        return bias[of & bias["score"].notna()].reindex(columns=columns).reset_index(drop=True)

    def _repr_html_(self) -> str:
        """In a notebook: the scores, and the names of the tables below them."""
        return f"{self.scores.to_html(index=False)}<pre>{html.escape(repr(self))}</pre>"

    def __repr__(self) -> str:
        names, counts = max(map(len, self)), max(len(str(len(files))) for files in self._files.values())
        lines = [f"{self.folder}: {len(self)} tables"]
        for name, files in self._files.items():
            many = "file " if len(files) == 1 else "files"
            keys = ", ".join(self._declared[name].keys)
            lines.append(f"  {name:{names}}  {len(files):{counts}} {many}  {keys}".rstrip())
        return "\n".join(lines)


def _sortable(value: str) -> tuple[int, str]:
    """Numbers by their size, names by the alphabet."""
    return (int(value), "") if value.isdecimal() else (-1, value)
