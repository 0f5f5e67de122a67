"""Scores of untrained networks of a model's own architecture: a table for each seed, of what chance gives."""

import logging
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.errors import InputError
from unmask.evidence.cache import cached, discard
from unmask.evidence.collecting import collect_evidence
from unmask.evidence.earlier import Table, are_valid
from unmask.evidence.reading_job import ReadingJob
from unmask.evidence.streaming import whole_facts
from unmask.measures.registry import maskings_of
from unmask.measures.schema import SCORES
from unmask.measures.scoring import score_by_protocol
from unmask.models.loading import load
from unmask.models.random_weights import make_untrained
from unmask.tables import write_table
from unmask.terms import NONE, ORIGINAL

logger = logging.getLogger(__name__)

PAIRS_AT_ONCE = 2000
"""Of so many pairs the evidence is in memory at once."""


def read(job: ReadingJob, settings: Mapping[str, Any], outputs: Mapping[str, Any]) -> list[Path]:
    """Score the benchmark with every network whose scores are not in the cache.

    settings: `code`, a digest; `measures`; and `seeds`, one for each of the outputs `untrained`. Raises
    InputError as `collect_evidence` does.
    """
    paths = [Path(path) for path in outputs["untrained"]]
    packages = ("torch", "transformers", "tokenizers", "pandas", "pyarrow")
    for seed, path in zip(settings["seeds"], paths, strict=True):
        facts = {
            **job.names,
            "seed": str(seed),
            "measures": list(settings["measures"]),
            **job.shared_facts,
            **job.record(settings["code"], *packages),
        }
        (table_facts,) = whole_facts(job.pairs, facts)
        if are_valid([Table(path, SCORES, table_facts)], ()):
            continue
        discard(path)
        logger.info("scoring with the untrained network of seed %s", seed)
        try:
            scores = _score(job, settings["measures"], seed)
        except InputError as error:
            raise job.with_names(error) from None
        write_table(cached(path), scores, SCORES, table_facts)
    return paths


def _score(job: ReadingJob, measures: Sequence[str], seed: int) -> pd.DataFrame:
    """The scores of one network, as SCORES."""
    maskings, max_length = maskings_of(measures), job.manifest["max_length"]
    scores = []
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder, "model")
        make_untrained(job.manifest["directory"], directory, seed, job.kind)
        networks = {
            attention: load(directory, job.device, attention, job.stack, job.dtype, start=job.start)
            for attention in {masking == NONE for masking in maskings}
        }
        for start in range(0, len(job.pairs), PAIRS_AT_ONCE):
            chunk = job.pairs.iloc[start : start + PAIRS_AT_ONCE]
            evidence = {
                masking: collect_evidence(
                    chunk, networks[masking == NONE], masking, ORIGINAL, max_length=max_length
                )
                for masking in maskings
            }
            scores.append(score_by_protocol(list(chunk["pair_id"]), evidence, measures))
    return pd.concat(scores, ignore_index=True)
