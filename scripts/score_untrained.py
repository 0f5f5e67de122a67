"""Score a benchmark with untrained networks of a model's own architecture: what its scores are by chance."""

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import torch

from unmask.benchmarks.schema import PAIRS
from unmask.evidence.collecting import collect_evidence
from unmask.joblog import job_log
from unmask.measures.by_protocol import score_by_protocol
from unmask.measures.registry import maskings_of
from unmask.measures.schema import SCORES
from unmask.models.devices import claim_device
from unmask.models.directory import check_files
from unmask.models.loading import load
from unmask.models.untrained import make_untrained
from unmask.record import record
from unmask.tables import read_table, write_table
from unmask.terms import NONE, ORIGINAL

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

PAIRS_AT_ONCE = 2000
"""Of so many pairs the evidence is in memory at once."""


def score(seed: int) -> pd.DataFrame:
    """The scores of one network, as SCORES."""
    scores = []
    with tempfile.TemporaryDirectory() as folder:
        make_untrained(manifest["directory"], Path(folder, "model"), seed)
        networks = {
            attention: load(Path(folder, "model"), device, attention, params.attention["stack"], params.dtype)
            for attention in {masking == NONE for masking in maskings_of(params.measures)}
        }
        for start in range(0, len(pairs), PAIRS_AT_ONCE):
            some = pairs.iloc[start : start + PAIRS_AT_ONCE]
            evidence = {
                masking: collect_evidence(
                    some, networks[masking == NONE], masking, ORIGINAL, max_length=manifest["max_length"]
                )
                for masking in maskings_of(params.measures)
            }
            scores.append(score_by_protocol(list(some["pair_id"]), evidence, params.measures))
    return pd.concat(scores, ignore_index=True)


runtime = snakemake.config["runtime"]
with (
    job_log(snakemake.log[0], snakemake.input),
    claim_device(runtime["device"], runtime["batch_tokens"]) as device,
):
    names, params = dict(snakemake.wildcards.items()), snakemake.params
    torch.set_num_threads(runtime["threads"])
    manifest = json.loads(Path(snakemake.input.manifest).read_text())
    check_files(manifest)
    pairs = read_table(snakemake.input.pairs, PAIRS)
    for seed, path in zip(params.seeds, snakemake.output, strict=True):
        facts = {
            **names,
            "seed": str(seed),
            "device": device.name,
            "dtype": params.dtype,
            **record(
                snakemake.input, params.code, "torch", "transformers", "tokenizers", "pandas", "pyarrow"
            ),
        }
        write_table(path, score(seed), SCORES, facts)
