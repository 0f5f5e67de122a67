"""Evidence of a whole benchmark, in shards: bounded memory, and a killed job goes on where it was."""

import json
import logging
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from unmask.evidence.collecting import collect_evidence
from unmask.evidence.maskings import roles_of
from unmask.evidence.progress import Progress
from unmask.models.loading import LoadedModel
from unmask.tables import EVIDENCE, read_metadata, write_batches, write_table

log = logging.getLogger(__name__)

CHARACTERS_PER_TOKEN = 4.5


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
    bar: bool = False,
) -> None:
    """Write the Evidence table of a benchmark to `path`, whole or not at all.

    Pairs are worked through in shards of about `shard_tokens` tokens read (by default what suits the
    device). Each is kept in a folder beside `path` when it is done; a later call with equal `facts`
    (the table's metadata) takes it from there. The folder goes when the table is whole.
    """
    path = Path(path)
    folder = path.parent / f".{path.stem}.shards"
    shards = divide(pairs, masking, shard_tokens or model.device.shard_tokens)
    progress = Progress(sum(tokens for _, tokens in shards), bar)
    parts = []
    for number, (part, tokens) in enumerate(shards):
        shard = folder / f"{number:06}.parquet"
        own = {**facts, "shard": number, "pairs": len(part), "first": part["pair_id"].iloc[0]}
        if _is_done(shard, own):
            log.info("shard %d of %d was done before", number + 1, len(shards))
            progress.skip(tokens)
        else:
            rows = collect_evidence(part, model, masking, variant, shuffle_seed, max_length, progress)
            write_table(shard, rows, EVIDENCE, own)
        parts.append(shard)
    progress.close()
    write_batches(path, (pq.read_table(part) for part in parts), EVIDENCE, facts)
    shutil.rmtree(folder)


def _is_done(shard: Path, facts: Mapping[str, Any]) -> bool:
    # as JSON, since that is how facts are stored
    return shard.exists() and read_metadata(shard) == json.loads(json.dumps(facts))


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
