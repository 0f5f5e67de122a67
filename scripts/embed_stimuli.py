"""Run one encoder over the stimuli of a suite, each once: an embeddings table."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import torch

import unmask.job_start  # noqa: F401
from unmask.associations.readers import reader_of
from unmask.associations.schema import STIMULI
from unmask.associations.writing import write_embeddings
from unmask.errors import InputError
from unmask.evidence.cache import cached, discard, is_intact, publish
from unmask.evidence.origin import SOURCE_KEYS
from unmask.facts import record
from unmask.input_digests import unchanged
from unmask.joblog import job_log
from unmask.models.devices import claim_device
from unmask.models.directory import check_files
from unmask.tables import read_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

# how the machine is used changes no result: it is read past Snakemake's rerun triggers on purpose
runtime = snakemake.config["runtime"]
with (
    job_log(snakemake.log[0], snakemake.input),
    unchanged(snakemake.params.input_sha256),
    claim_device(runtime["device"], runtime["batch_tokens"]) as device,
):
    inputs, params, table = snakemake.input, snakemake.params, Path(snakemake.output[0])
    torch.set_num_threads(runtime["threads"])
    manifest = json.loads(Path(inputs.manifest).read_text())
    check_files(manifest)
    entry = manifest["entry"]
    origin = record(inputs, params.code, "torch", "transformers", "tokenizers", "pyarrow")
    # stimuli and weights have digests of their own above: see `is_done_or_updated`
    digested = (inputs.stimuli, inputs.manifest)
    facts = {
        "encoder": params.encoder,
        "suite": params.suite,
        "device": device.name,
        "weights": manifest["weights_digest"],
        "tokenizer": manifest["tokenizer_digest"],
        "model_source": {key: entry[key] for key in SOURCE_KEYS if key in entry},
        "left_out": {},
        "read_with": {path: digest for path, digest in origin["made_from"].items() if path not in digested},
        **origin,
    }
    if not is_intact(table):
        discard(table)
    stimuli = read_table(inputs.stimuli, STIMULI)
    try:
        reader = reader_of(manifest, device, params.poolings, inputs.facts, inputs.get("features"))
        write_embeddings(
            cached(table),
            stimuli,
            reader.width,
            reader.poolings,
            reader.read,
            facts | {"remarks": []},
            # Snakemake has a display of its own
            bar=False,
        )
    except InputError as error:
        raise InputError(f"encoder {params.encoder}, suite {params.suite}: {error}") from None
    publish([table])
