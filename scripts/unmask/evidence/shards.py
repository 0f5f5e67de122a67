"""Tables of a model's answers, written in shards: bounded memory, and a killed job resumes where it was."""

import hashlib
import json
import logging
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pandas as pd
import pyarrow as pa

from unmask.job import PROGRESS
from unmask.evidence.lists import Table, as_stated, stated
from unmask.tables import read_arrow, write_table

logger = logging.getLogger(__name__)


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
        line = f"{self.stage}{done:.0f}% done, {speed:.3g} tokens a second, about {wait} left"
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
    """Write the rows of all shards, each table whole or not at all, the first one last.

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
    for place, table in reversed(list(enumerate(tables))):
        parts = [read_arrow(shard[place], table.schema) for shard in paths]
        rows = pa.concat_tables([table.schema.empty_table(), *parts])
        write_table(table.path, rows, table.schema, table.facts)
    shutil.rmtree(folder, ignore_errors=True)


def digest_of_parts(*parts: object) -> str:
    """A digest of what rows are made from, which JSON can hold."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()
