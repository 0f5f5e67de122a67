"""Tables of a model's answers, written in shards: bounded memory, and a killed job resumes where it was."""

import hashlib
import json
import logging
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from unmask.errors import InputError
from unmask.evidence.lists import Table, as_stated, stated
from unmask.evidence.progress import Progress
from unmask.tables import write_batches, write_table

logger = logging.getLogger(__name__)


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
    progress.close()
    for place, table in reversed(list(enumerate(tables))):
        write_batches(table.path, (_read(shard[place]) for shard in paths), table.schema, table.facts)
    shutil.rmtree(folder, ignore_errors=True)


def digest_of_parts(*parts: object) -> str:
    """A digest of what rows are made from, which JSON can hold."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()


def _read(shard: Path) -> pa.Table:
    try:
        return pq.read_table(shard)
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{shard}: damaged ({error}); delete it and run again") from None
