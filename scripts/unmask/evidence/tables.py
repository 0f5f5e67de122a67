"""Tables that outlast the job that writes them: in shards until they are whole, then under a list.

A job's output for Snakemake is the list of its tables with the SHA-256 of each. So Snakemake removes no table
before a job, and a job reads again only what is not there with the facts that it should have. What a model
answers is written in shards: bounded memory, and a killed job resumes where it was.
"""

import hashlib
import json
import logging
import shutil
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from unmask.job import PROGRESS
from unmask.errors import InputError
from unmask.files import digests_of, sha256_of_file
from unmask.tables import read_arrow, read_metadata, write_table

logger = logging.getLogger(__name__)

CIRCUMSTANCES = ("device", "versions", "made_from")
"""Facts of a table whose change makes no row anew: others say what its rows and its model are."""

SOURCE_KEYS = ("source", "repo", "revision", "commit", "architecture", "world", "from", "scale", "seed")
"""What evidence says of where its model is from: keys of the model's entry."""


def model_facts(manifest: Mapping[str, Any], device: str) -> dict[str, Any]:
    """What a table states of the model that made it, and of the device by its name."""
    entry = manifest["entry"]
    return {
        "device": device,
        "weights": manifest["weights_digest"],
        "tokenizer": manifest["tokenizer_digest"],
        "model_source": {key: entry[key] for key in SOURCE_KEYS if key in entry},
    }


@dataclass(frozen=True)
class Table:
    """A table to write, and the facts that it has to state."""

    path: Path
    schema: pa.Schema
    facts: Mapping[str, Any]


def missing(list_: Path, tables: Iterable[Table]) -> set[Path]:
    """The tables that are still to be made: the others are as the job before has listed or left them."""
    of_list = {list_.parent / name: digest for name, digest in (digests_of(list_) or {}).items()}
    return {each.path for each in tables if not is_done(each, of_list.get(each.path))}


def is_done(table: Table, sha256: str | None = None) -> bool:
    """Whether a table is there with its facts, CIRCUMSTANCES aside, and has this digest.

    Without one, as after a job that was killed, it has to be readable to its end.
    """
    there, wanted = stated(table.path), as_stated(table.facts)
    if there is None or there | dict.fromkeys(CIRCUMSTANCES) != wanted | dict.fromkeys(CIRCUMSTANCES):
        return False
    if sha256 is not None:
        return sha256_of_file(table.path) == sha256
    try:
        read_arrow(table.path, table.schema)
    except InputError:
        return False
    return True


def is_renewed(table: Table) -> bool:
    """Whether a table is done; then it states its facts, CIRCUMSTANCES too, as they are now."""
    if not is_done(table):
        return False
    write_table(table.path, read_arrow(table.path, table.schema), table.schema, table.facts)
    logger.info("%s is there, of just these facts: nothing is left to do", table.path)
    return True


def stated(table: Path) -> dict[str, Any] | None:
    """The facts of a table; None where there is none that can be read."""
    try:
        return read_metadata(table)
    except (InputError, ValueError):
        return None


def as_stated(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts as they come back from a table."""
    as_stored: dict[str, Any] = json.loads(json.dumps(dict(facts)))
    return as_stored


def check_one_origin(tables: Sequence[str | Path], keys: Sequence[str]) -> None:
    """Check that tables of scores, which keep the facts of their evidence, agree in these facts.

    Raises InputError naming two tables that do not.
    """
    first: dict[str, tuple[Any, str | Path]] = {}
    for path in tables:
        for key, facts in product(keys, read_metadata(path)["evidence"].values()):
            here, (there, other) = facts.get(key), first.setdefault(key, (facts.get(key), path))
            if here != there:
                what = f"{key} differs: {here} here, {there} in {other}"
                raise InputError(f"{path}: {what}; delete both and run again")


class Progress:
    """Counts what a model has read of about so many tokens, and logs it every ten seconds, after `stage`."""

    def __init__(self, expected_tokens: float) -> None:
        self._expected, self._skipped = max(expected_tokens, 1.0), 0.0
        self._tokens, self.stage = 0, ""
        self._start = self._said = time.monotonic()

    def skip(self, tokens: float) -> None:
        """Count work that was done before."""
        self._skipped += tokens

    def add(self, tokens: int) -> None:
        """Count tokens just read."""
        self._tokens += tokens
        if time.monotonic() - self._said >= 10:
            self.say()

    def say(self) -> None:
        """Write a line into the log."""
        self._said = time.monotonic()
        speed = self._tokens / max(self._said - self._start, 1e-9)
        left = max(self._expected - self._skipped - self._tokens, 0.0)
        done, wait = 100 * (1 - left / self._expected), timedelta(seconds=round(left / max(speed, 1e-9)))
        line = f"{self.stage}{done:.0f}% done, {speed:,.0f} tokens a second, about {wait} left"
        logger.info("%s", line, extra=PROGRESS)


@dataclass(frozen=True)
class Shard:
    """A run of the rows of tables that are read together.

    digest: of all that its rows are made from, besides the facts of the tables. tokens: about how many a
    model reads for it. rows: reads the rows of each table.
    """

    digest: str
    tokens: float
    rows: Callable[[], Sequence[pd.DataFrame | pa.Table]]


def write_in_shards(tables: Sequence[Table], shards: Iterable[Shard], progress: Progress) -> None:
    """Write the rows of all shards, each table whole or not at all.

    Each finished shard stays in a folder beside the first table, where a later call with equal facts finds
    it; the folder goes when the tables are whole. Two processes must not write one table at a time: jobs hold
    a lock. Raises InputError where a shard is damaged.
    """
    folder = tables[0].path.parent / f".{tables[0].path.stem}.shards"
    paths: list[list[Path]] = []
    for number, shard in enumerate(shards):
        paths.append([folder / f"{number:06}.{place}.parquet" for place in range(len(tables))])
        facts = [as_stated({**table.facts, "shard": number, "rows": shard.digest}) for table in tables]
        if list(map(stated, paths[-1])) == facts:
            logger.info("shard %d was done before", number + 1)
            progress.skip(shard.tokens)
            continue
        for path, table, of_table, rows in zip(paths[-1], tables, facts, shard.rows(), strict=True):
            write_table(path, rows, table.schema, of_table)
    progress.say()
    for place, table in enumerate(tables):
        parts = [read_arrow(shard[place], table.schema) for shard in paths]
        rows = pa.concat_tables([table.schema.empty_table(), *parts])
        write_table(table.path, rows, table.schema, table.facts)
    shutil.rmtree(folder, ignore_errors=True)


def digest_of_parts(*parts: object) -> str:
    """A digest of what rows are made from, which JSON can hold."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()
