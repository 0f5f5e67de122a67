"""Make an untrained model with the tokenizer of another."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.errors import InputError
from unmask.facts import record, write_facts
from unmask.input_digests import unchanged
from unmask.joblog import job_log
from unmask.models.kinds import write_manifest
from unmask.models.random_weights import make_random

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.input_sha256):
    entry = snakemake.params.entry
    try:
        facts = make_random(entry, snakemake.output.directory, entry["seed"])
    except InputError as error:
        raise InputError(f"model {snakemake.params.name}: {error}") from None
    provenance = record(snakemake.input, snakemake.params.code, "torch", "transformers")
    write_facts(snakemake.output.facts, facts | provenance)
    write_manifest(snakemake.output.manifest, snakemake.params.manifest, [snakemake.output.facts])
