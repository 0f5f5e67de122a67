"""Count the words of one shard of a corpus."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

import unmask.job_start  # noqa: F401
from unmask.downloads import reading_download
from unmask.facts import record
from unmask.frequency.counting import count_words
from unmask.input_digests import unchanged
from unmask.joblog import job_log
from unmask.plugins import load

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

# the system's memory pool holds back less than the others
pa.set_memory_pool(pa.system_memory_pool())


def blocks(shard: str, entry: Mapping[str, Any]) -> Iterator[bytes]:
    """The shard's text, read as its format says."""
    with reading_download(shard):
        yield from load("corpora/formats", entry["format"]).read_blocks(shard, entry)


with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.input_sha256):
    shard, entry = snakemake.input.shard, snakemake.params.entry
    facts = {
        "shard": snakemake.wildcards.shard,
        **record(snakemake.input, snakemake.params.code, "numpy", "pyarrow"),
    }
    count_words(blocks(shard, entry), shard, snakemake.output[0], facts)
