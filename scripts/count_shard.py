"""Count the words of one shard of a corpus."""

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from unmask.job import job
from unmask.downloads import reading_download
from unmask.frequency.counting import count_words
from unmask.plugins import load

# the system's memory pool holds back less than the others
pa.set_memory_pool(pa.system_memory_pool())


def blocks(shard: str, entry: Mapping[str, Any]) -> Iterator[bytes]:
    """The shard's text, read as its format says."""
    with reading_download(shard):
        yield from load("corpora/formats", entry["format"]).read_blocks(shard, entry)


with job() as run:
    shard, entry = run.input.shard, run.params.entry
    facts = {
        "shard": run.wildcards.shard,
        **run.record(),
    }
    count_words(blocks(shard, entry), shard, run.output[0], facts)
