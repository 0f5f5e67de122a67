"""A table of a model's answers, written in shards: bounded memory, and a killed job resumes where it was."""

import hashlib
import json
import logging
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, Generic, TypeVar

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from unmask.errors import InputError
from unmask.evidence.progress import Progress
from unmask.tables import opened_table, read_metadata, write_batches, write_table

logger = logging.getLogger(__name__)

Layout = TypeVar("Layout")
Answers = TypeVar("Answers")

CIRCUMSTANCES = ("device", "versions")
"""Facts of a table whose change makes no job run again."""

MADE_FROM = ("made_from",)
"""Facts about files whose change alone makes no row anew: other facts say what rows and the model are."""


@dataclass(frozen=True)
class Shard(Generic[Layout, Answers]):
    """A run of a table's rows."""

    sentences: str
    """A digest of all that its rows are made from, besides the table's facts."""
    tokens: float
    """About how many a model reads for it."""
    prepare: Callable[[], Layout]
    read: Callable[[Layout], Answers]
    as_rows: Callable[[Layout, Answers], pd.DataFrame | pa.Table]


@dataclass(frozen=True)
class SecondTable(Generic[Layout, Answers]):
    """A table of the same answers as the first."""

    path: Path
    schema: pa.Schema
    facts: Mapping[str, Any]
    as_rows: Callable[[Layout, Answers], pd.DataFrame | pa.Table]


def write_in_shards(
    path: Path,
    schema: pa.Schema,
    shards: Sequence[Shard[Layout, Answers]],
    facts: Mapping[str, Any],
    progress: Progress,
    second: SecondTable[Layout, Answers] | None = None,
) -> None:
    """Write the rows of all shards to `path`, whole or not at all; `facts` are the table's metadata.

    The `second` table is whole before the first is.

    Each finished shard stays in a folder beside `path`, where a later call with equal facts finds it. The
    folder is removed when the table is whole. While one shard is read, a second thread prepares the next and
    writes the one before.

    A killed process leaves whole shards: each states its facts and sentences in its metadata, so shards of
    different facts are never mixed, and it gets its name when it is whole. (No file is forced to the disk:
    after a power cut an unreadable shard is done again, too.) Two processes must not write one table at a
    time: jobs hold a lock, see `unmask.joblog`.
    Raises InputError where a shard cannot be written, or is damaged.
    """
    folder = path.parent / f".{path.stem}.shards"
    paths = [folder / f"{number:06}.parquet" for number in range(len(shards))]
    second_paths = [shard.with_suffix(".beside.parquet") for shard in paths]

    def of_shard(table_facts: Mapping[str, Any], number: int) -> dict[str, Any]:
        return {**table_facts, "shard": number, "sentences": shards[number].sentences}

    def is_missing(number: int) -> bool:
        tables = [(paths[number], facts)] + ([(second_paths[number], second.facts)] if second else [])
        return any(_facts(shard) != _as_json(of_shard(expected, number)) for shard, expected in tables)

    missing = [number for number in range(len(shards)) if is_missing(number)]
    for number in sorted(set(range(len(shards))) - set(missing)):
        logger.info("shard %d of %d was done before", number + 1, len(shards))
        progress.skip(shards[number].tokens)

    def write_shard(number: int, layout: Layout, answers: Answers) -> None:
        if second:
            rows = second.as_rows(layout, answers)
            write_table(second_paths[number], rows, second.schema, of_shard(second.facts, number))
        write_table(paths[number], shards[number].as_rows(layout, answers), schema, of_shard(facts, number))

    with ThreadPoolExecutor(max_workers=1) as worker:
        ahead = [worker.submit(shards[number].prepare) for number in missing[:1]]
        written: list[Future[None]] = []
        for number, after in zip_longest(missing, missing[1:]):
            layout = ahead.pop().result()
            if after is not None:
                ahead.append(worker.submit(shards[after].prepare))
            answers = shards[number].read(layout)
            # no more than one waits to be written, and an error in writing comes out here
            for before in written:
                before.result()
            written = [worker.submit(write_shard, number, layout, answers)]
        for before in written:
            before.result()
    progress.close()
    if second:
        write_batches(second.path, _read(second_paths), second.schema, second.facts)
    write_batches(path, _read(paths), schema, facts)
    if folder.exists():
        shutil.rmtree(folder)


def is_table_done(path: Path, facts: Mapping[str, Any]) -> bool:
    """Whether the table is there, can be read, and is of these facts, CIRCUMSTANCES aside."""
    stated, expected = _facts(path), _as_json(facts)
    same = stated is not None and all(
        stated.get(key) == expected.get(key) for key in {*stated, *expected} - {*CIRCUMSTANCES}
    )
    if same and _is_readable(path):
        logger.info("%s is there, of just these sentences and this model: nothing is left to do", path)
        return True
    return False


def digest_of_parts(*parts: object) -> str:
    """A digest of what rows are made from, which JSON can hold."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()


def is_done_or_updated(path: Path, schema: pa.Schema, facts: Mapping[str, Any]) -> bool:
    """Whether a table is there, of facts that are the same but for the files that it was made from.

    The table then says what these are now, and its rows stay as they are.
    """
    stated = _facts(path)
    if stated is None:
        return False
    if not is_table_done(path, {**facts, **{key: stated[key] for key in MADE_FROM if key in stated}}):
        return False
    updated = stated | {key: facts[key] for key in MADE_FROM if key in facts}
    if updated != stated:
        rewrite_facts(path, schema, updated)
    return True


def rewrite_facts(path: Path, schema: pa.Schema, facts: Mapping[str, Any]) -> None:
    """Write a table anew with the same rows and other facts. Raises InputError as `opened_table` does."""
    with opened_table(path, schema) as file:
        groups = (file.read_row_group(number) for number in range(file.num_row_groups))
        write_batches(path, groups, schema, facts)


def _facts(table: Path) -> dict[str, Any] | None:
    try:
        return read_metadata(table)
    except (OSError, ValueError, pa.ArrowException):
        return None


def _as_json(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts as they come back from a table."""
    as_stored: dict[str, Any] = json.loads(json.dumps(facts))
    return as_stored


def _is_readable(table: Path) -> bool:
    try:
        for _ in pq.ParquetFile(table).iter_batches():
            pass
    except (OSError, pa.ArrowException):
        return False
    return True


def _read(shards: Sequence[Path]) -> Iterator[pa.Table]:
    for shard in shards:
        try:
            yield pq.read_table(shard)
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"{shard}: damaged ({error}); delete it and run again") from None
