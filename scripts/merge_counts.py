"""Merge word counts; the last merge of a corpus puts them in order and says where the corpus is from."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

import unmask.job_start  # noqa: F401
from unmask.facts import record
from unmask.frequency.merging import merge_counts
from unmask.joblog import job_log

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

# the system's memory pool holds back less than the others
pa.set_memory_pool(pa.system_memory_pool())
with job_log(snakemake.log[0], snakemake.input):
    facts = {
        "corpus": snakemake.wildcards.corpus,
        **snakemake.params.facts,
        **record(snakemake.input, snakemake.params.code, "numpy", "pyarrow"),
    }
    if fetched := [json.loads(Path(file).read_text()) for file in snakemake.input.get("fetched", [])]:
        facts["fetched"] = fetched
    merge_counts(list(snakemake.input.counts), snakemake.output[0], facts, last=snakemake.params.last)
