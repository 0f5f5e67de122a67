"""Count the words of one shard of a corpus."""

from typing import TYPE_CHECKING

import pyarrow as pa

from unmask.by_name import load
from unmask.frequency.counting import count_words
from unmask.joblog import job_log
from unmask.record import record

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

# the system's memory pool holds back less than the others
pa.set_memory_pool(pa.system_memory_pool())
with job_log(snakemake.log[0], snakemake.input):
    shard, entry = snakemake.input.shard, snakemake.params.entry
    blocks = load("corpora/formats", entry["format"]).read_blocks(shard, entry)
    facts = {
        "shard": snakemake.wildcards.shard,
        **record(snakemake.input, snakemake.params.code, "numpy", "pyarrow"),
    }
    count_words(blocks, shard, snakemake.output[0], facts)
