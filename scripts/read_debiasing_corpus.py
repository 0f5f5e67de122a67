"""Read the corpus that models are debiased with into one text file, a line a document."""

from typing import TYPE_CHECKING

import pyarrow as pa

import unmask.job_start  # noqa: F401
from unmask.debiasing.data import read_corpus
from unmask.facts import record, write_facts
from unmask.input_digests import unchanged
from unmask.joblog import job_log

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

# the system's memory pool holds back less than the others
pa.set_memory_pool(pa.system_memory_pool())

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.input_sha256):
    shards = snakemake.input.shards
    facts = read_corpus(
        [shards] if isinstance(shards, str) else list(shards), snakemake.params.entry, snakemake.output.text
    )
    provenance = record(snakemake.input, snakemake.params.code, "pyarrow")
    write_facts(snakemake.output.facts, facts | provenance)
