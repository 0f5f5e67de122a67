"""Make a model with noise in its weights from another model of the study."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.facts import read_facts, record, write_facts
from unmask.joblog import job_log
from unmask.models.directory import check_files
from unmask.models.manifest import write_manifest
from unmask.models.random_weights import perturb

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    entry, base = snakemake.params.entry, read_facts(snakemake.input.manifest)
    check_files(base)
    facts = perturb(base["directory"], snakemake.output.directory, entry["scale"], entry["seed"])
    provenance = record(snakemake.input, snakemake.params.code, "torch", "transformers")
    write_facts(snakemake.output.facts, {"from": entry["from"]} | facts | provenance)
    write_manifest(snakemake.output.manifest, snakemake.params.manifest, [snakemake.output.facts])
