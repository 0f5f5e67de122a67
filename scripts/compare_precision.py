"""Score a sample of pairs in single precision too, and tell what the study's arithmetic changes."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import torch

import unmask.job_start  # noqa: F401
from unmask.benchmarks.schema import PAIRS
from unmask.evidence.collecting import collect_evidence
from unmask.facts import record
from unmask.joblog import job_log
from unmask.measures.precision import compare_scores, spread_sample
from unmask.measures.registry import maskings_of
from unmask.measures.scoring import score_by_protocol
from unmask.models.devices import claim_device
from unmask.models.directory import check_files
from unmask.models.loading import load
from unmask.models.start import Start
from unmask.pairs.schema import PRECISION
from unmask.tables import read_table, write_table
from unmask.terms import NONE, ORIGINAL

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

runtime = snakemake.config["runtime"]
with (
    job_log(snakemake.log[0], snakemake.input),
    claim_device(runtime["device"], runtime["batch_tokens"]) as device,
):
    params = snakemake.params
    torch.set_num_threads(runtime["threads"])
    manifest = json.loads(Path(snakemake.input.manifest).read_text())
    check_files(manifest)
    pairs = spread_sample(read_table(snakemake.input.pairs, PAIRS), params.scoring["sample"])
    scores = []
    for dtype in ("float32", params.scoring["dtype"]):
        evidence = {}
        for masking in maskings_of(params.measures):
            model = load(
                manifest["directory"],
                device,
                masking == NONE,
                params.attention["stack"],
                dtype,
                start=Start.of(manifest),
            )
            evidence[masking] = collect_evidence(
                pairs, model, masking, ORIGINAL, max_length=manifest["max_length"]
            )
        scores.append(score_by_protocol(list(pairs["pair_id"]), evidence, params.measures))
    facts = {
        **dict(snakemake.wildcards.items()),
        "device": device.name,
        "dtype": params.scoring["dtype"],
        **record(snakemake.input, params.code, "torch", "transformers", "tokenizers", "pandas", "pyarrow"),
    }
    write_table(snakemake.output[0], compare_scores(scores[0], scores[1]), PRECISION, facts)
