"""Merge word counts; the last merge of a corpus puts them in order and says where the corpus is from."""

import json
from pathlib import Path

import pyarrow as pa

from unmask.job import job
from unmask.frequency.merging import merge_counts

# the system's memory pool holds back less than the others
pa.set_memory_pool(pa.system_memory_pool())
with job() as run:
    facts = {
        "corpus": run.wildcards.corpus,
        **run.params.facts,
        **run.record(),
    }
    if fetched := [json.loads(Path(file).read_text()) for file in run.input.get("fetched", [])]:
        facts["fetched"] = fetched
    merge_counts(list(run.input.counts), run.output[0], facts, last=run.params.last)
