"""Run one model over one benchmark under one masking: the Evidence table."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from unmask.benchmarks.schema import PAIRS
from unmask.errors import InputError
from unmask.evidence.streaming import write_evidence
from unmask.joblog import job_log
from unmask.models.devices import claim_device
from unmask.models.directory import check_sizes
from unmask.models.loading import load
from unmask.record import record
from unmask.tables import read_metadata, read_table
from unmask.terms import NONE

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

SOURCE = ("source", "repo", "revision", "commit", "architecture", "seed")
"""What the evidence says of where its model is from."""

# how the machine is used changes no result: it is read past Snakemake's rerun triggers on purpose
runtime = snakemake.config["runtime"]
with job_log(snakemake.log[0]), claim_device(runtime["device"], runtime["batch_tokens"]) as device:
    names = dict(snakemake.wildcards.items())
    torch.set_num_threads(runtime["threads"])
    manifest = json.loads(Path(snakemake.input.manifest).read_text())
    check_sizes(manifest)
    entry = manifest["entry"]
    stack, dtype = snakemake.params.attention["stack"], snakemake.params.dtype
    model = load(manifest["directory"], device, names["masking"] == NONE, stack, dtype)
    seed = snakemake.params.shuffled and snakemake.params.shuffled["seed"]
    facts = {
        **names,
        "shuffle_seed": seed,
        "device": device.name,
        "dtype": dtype,
        "attention": stack,
        "weights": manifest["weights_digest"],
        "tokenizer": manifest["tokenizer_digest"],
        "benchmark_sha256": read_metadata(snakemake.input.pairs)["sha256"],
        "model_source": {key: entry[key] for key in SOURCE if key in entry},
        **record(snakemake.input, snakemake.params.code, "torch", "transformers", "tokenizers", "pyarrow"),
    }
    try:
        write_evidence(
            snakemake.output[0],
            read_table(snakemake.input.pairs, PAIRS),
            model,
            names["masking"],
            names["variant"],
            seed or 0,
            manifest["max_length"],
            facts,
            # Snakemake has a display of its own
            bar=False,
        )
    except InputError as error:
        raise InputError(f"model {names['model']}, benchmark {names['benchmark']}, {error}") from None
