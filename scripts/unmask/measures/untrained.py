"""Scores of untrained networks of a model's own architecture: what chance gives."""

import logging
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from unmask.evidence.collecting import Wanted, evidence_of
from unmask.evidence.reading import Subject, Tokenised
from unmask.evidence.tables import Table, missing
from unmask.measures.formulas import maskings_of
from unmask.measures.scoring import SCORES, Evidence, score_pairs
from unmask.models.directory import CAUSAL_LM, MASKED_LM
from unmask.models.random_weights import make_untrained
from unmask.tables import write_table
from unmask.terms import ORIGINAL

logger = logging.getLogger(__name__)


def score_untrained(
    list_: Path,
    seeds: Sequence[int],
    measures: Sequence[str],
    subject: Subject,
    benchmark: Tokenised,
    facts: Mapping[str, Any],
) -> list[Path]:
    """Score a benchmark with the network of each seed whose scores are not there yet; the paths of all.

    facts: those of the job, which each table states beside the model's. Raises InputError as `evidence_of`
    does.
    """
    shared = {**facts, **subject.facts(), "measures": list(measures), "sentences": benchmark.digest()}
    tables = [
        Table(list_.parent / f"{seed}.parquet", SCORES, {**shared, "seed": str(seed)}) for seed in seeds
    ]
    lacking = missing(list_, tables)
    for seed, table in zip(seeds, tables, strict=True):
        if table.path in lacking:
            logger.info("scoring with the untrained network of seed %s", seed)
            evidence = _evidence(seed, maskings_of(measures), subject, benchmark)
            rows = score_pairs(list(benchmark.pairs["pair_id"]), evidence, measures)
            write_table(table.path, rows, SCORES, table.facts)
    return [table.path for table in tables]


def _evidence(seed: int, maskings: Sequence[str], subject: Subject, benchmark: Tokenised) -> Evidence:
    """The evidence of a network of the subject's architecture whose weights are drawn."""
    kind = CAUSAL_LM if "start" in subject.manifest else MASKED_LM
    with tempfile.TemporaryDirectory() as folder:
        make_untrained(subject.manifest["directory"], f"{folder}/model", seed, kind)
        network = replace(subject, manifest={**subject.manifest, "directory": f"{folder}/model"})
        return network.read_under(
            maskings,
            lambda masking, model: evidence_of(benchmark.sentences, model, Wanted(ORIGINAL, masking))[0],
        )
