"""Evidence of a whole benchmark, in shards: bounded memory, and a killed job goes on where it was."""

import hashlib
import json
import logging
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from unmask.errors import InputError
from unmask.evidence.collecting import Layout, as_rows, prepare
from unmask.evidence.engine import Answers, answer
from unmask.evidence.hiding import roles_of
from unmask.evidence.progress import Progress
from unmask.evidence.schema import EVIDENCE
from unmask.models.loading import LoadedModel
from unmask.tables import read_metadata, write_batches, write_table
from unmask.terms import ROLES

logger = logging.getLogger(__name__)

CHARACTERS_PER_TOKEN = 4.5

CIRCUMSTANCES = ("device", "versions")
"""Facts of a table whose change makes no job run again."""


def write_evidence(
    path: str | Path,
    pairs: pd.DataFrame,
    model: LoadedModel,
    masking: str,
    variant: str,
    shuffle_seed: int,
    max_length: int | None,
    facts: Mapping[str, Any],
    shard_tokens: int | None = None,
    bar: bool | None = None,
) -> None:
    """Write the Evidence table of a benchmark to `path`, whole or not at all.

    Pairs are worked through in shards of about `shard_tokens` tokens read (by default what suits the
    device). Each is kept in a folder beside `path` when it is done; a later call with equal `facts`
    (the table's metadata) takes it from there. The folder goes when the table is whole; a table that
    `is_done` is left as it is. While the model reads one shard, a second thread tokenises
    the next and writes the one before. A `bar` shows the progress on stderr; by default where that is a
    terminal.

    What a killed process leaves is whole shards: a shard says in its metadata of which facts and which
    sentences it is, so shards of different facts are never mixed, and it gets its name when it is whole. (No
    file is forced to the disk: after a power cut a shard that cannot be read is done again, too.) Two
    processes must not write one table at a time: jobs see to that, see `unmask.joblog`.
    Raises InputError where a shard cannot be written, or is damaged.
    """
    path = Path(path)
    if is_done(path, pairs, facts):
        return
    facts = {**facts, "sentences": _digest(pairs)}
    folder = path.parent / f".{path.stem}.shards"
    shards = divide(pairs, masking, shard_tokens or model.device.shard_tokens)
    bar = sys.stderr.isatty() if bar is None else bar
    progress = Progress(sum(tokens for _, tokens in shards), bar)
    paths = [folder / f"{number:06}.parquet" for number in range(len(shards))]
    of_shard = [
        {**facts, "shard": number, "sentences": _digest(part)} for number, (part, _) in enumerate(shards)
    ]
    missing = [number for number in range(len(shards)) if _facts(paths[number]) != _as_json(of_shard[number])]
    logger.info("masking %s, shards: %d", masking, len(shards))
    for number in sorted(set(range(len(shards))) - set(missing)):
        logger.info("shard %d of %d was done before", number + 1, len(shards))
        progress.skip(shards[number][1])

    def lay_out_shard(number: int) -> Layout:
        return prepare(shards[number][0], model.tokenizer, masking, variant, shuffle_seed, max_length)

    def write_shard(number: int, layout: Layout, answers: Answers) -> None:
        write_table(paths[number], as_rows(layout, answers, model.tokenizer), EVIDENCE, of_shard[number])

    with ThreadPoolExecutor(max_workers=1) as worker:
        ahead = [worker.submit(lay_out_shard, number) for number in missing[:1]]
        written: list[Future[None]] = []
        for number, after in zip_longest(missing, missing[1:]):
            layout = ahead.pop().result()
            if after is not None:
                ahead.append(worker.submit(lay_out_shard, after))
            answers = answer(model, layout.work, progress)
            # no more than one waits to be written, and an error in writing comes out here
            for before in written:
                before.result()
            written = [worker.submit(write_shard, number, layout, answers)]
        for before in written:
            before.result()
    progress.close()
    write_batches(path, _read(paths), EVIDENCE, facts)
    shutil.rmtree(folder)


def is_done(path: Path, pairs: pd.DataFrame, facts: Mapping[str, Any]) -> bool:
    """Whether the table is there, can be read, and is of these sentences and facts, CIRCUMSTANCES aside."""
    found, wanted = _facts(path), _as_json({**facts, "sentences": _digest(pairs)})
    same = found is not None and all(
        found.get(key) == wanted.get(key) for key in {*found, *wanted} - {*CIRCUMSTANCES}
    )
    if same and _is_readable(path):
        logger.info("%s is there, of just these sentences and this model: nothing is left to do", path)
        return True
    return False


def _digest(pairs: pd.DataFrame) -> str:
    """Of the sentences in their roles: the same file, read by another map of columns, has the same ids."""
    rows = pairs[["pair_id", *ROLES]].astype(object)
    texts = json.dumps(rows.where(rows.notna(), None).to_numpy().tolist(), ensure_ascii=False)
    return hashlib.sha256(texts.encode()).hexdigest()


def _facts(table: Path) -> dict[str, Any] | None:
    try:
        return read_metadata(table)
    except (OSError, ValueError, pa.ArrowException):
        return None


def _as_json(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts as they come back from a table."""
    stored: dict[str, Any] = json.loads(json.dumps(facts))
    return stored


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


def divide(pairs: pd.DataFrame, masking: str, shard_tokens: int) -> list[tuple[pd.DataFrame, float]]:
    """Runs of consecutive pairs, each with about how many tokens a model reads for it.

    The estimate goes by the sentences' characters and needs no tokenizer. Where tokens are hidden one
    at a time, a sentence is read about as often as it has tokens.
    """
    reads = np.zeros(len(pairs))
    for role in roles_of(masking):
        tokens = pairs[role].fillna("").str.len().to_numpy(float) / CHARACTERS_PER_TOKEN + 2
        reads += tokens**2 if masking.startswith("one-") else tokens
    shard = (np.cumsum(reads) // shard_tokens).astype(int)
    return [(part, float(reads[shard == number].sum())) for number, part in pairs.groupby(shard, sort=True)]
