"""Run one model over the sentences of all regions and one word list: a Likelihoods or a Padded table."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import torch

import unmask.job_start  # noqa: F401
from unmask.errors import InputError
from unmask.evidence.cache import cached, discard, is_intact, publish
from unmask.evidence.origin import SOURCE_KEYS
from unmask.facts import record
from unmask.joblog import job_log
from unmask.models.devices import claim_device
from unmask.models.directory import check_files
from unmask.models.loading import load
from unmask.regional.hierarchy import four_levels, tree_of
from unmask.regional.likelihoods import write_likelihoods
from unmask.regional.padded import write_padded
from unmask.regional.schema import REGIONS, WORDS
from unmask.regional.terms import LEVELS
from unmask.tables import read_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

# how the machine is used changes no result: it is read past Snakemake's rerun triggers on purpose
runtime = snakemake.config["runtime"]
with (
    job_log(snakemake.log[0], snakemake.input),
    claim_device(runtime["device"], runtime["batch_tokens"]) as device,
):
    inputs, params, table = snakemake.input, snakemake.params, Path(snakemake.output[0])
    torch.set_num_threads(runtime["threads"])
    manifest = json.loads(Path(inputs.manifest).read_text())
    check_files(manifest)
    entry = manifest["entry"]
    provenance = record(inputs, params.code, "torch", "transformers", "tokenizers", "pyarrow")
    facts = {
        "model": params.model,
        "list": params.list,
        "template": params.template,
        "device": device.name,
        "dtype": params.dtype,
        "weights": manifest["weights_digest"],
        "tokenizer": manifest["tokenizer_digest"],
        "model_source": {key: entry[key] for key in SOURCE_KEYS if key in entry},
        # the files of regions and words may change, and the sentences be the same: see `is_done_or_updated`
        "manifest": provenance["made_from"][inputs.manifest],
        **provenance,
    }
    if not is_intact(table):
        discard(table)
    regions = read_table(inputs.regions, REGIONS)
    if params.padded:
        # what the scores would say only after all sentences
        four_levels(tree_of(regions), LEVELS)
    model = load(manifest["directory"], device, with_attention=False, dtype=params.dtype)
    write = write_padded if params.padded else write_likelihoods
    try:
        write(
            cached(table),
            regions,
            read_table(inputs.words, WORDS),
            params.list,
            model,
            params.template,
            manifest["max_length"],
            facts,
            # Snakemake has a display of its own
            bar=False,
        )
    except InputError as error:
        raise InputError(f"model {params.model}, list {params.list}, {error}") from None
    publish([table])
