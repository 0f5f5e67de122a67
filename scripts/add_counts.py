"""Add up the word counts of a corpus's files, and say where the corpus is from."""

import pyarrow as pa
import pyarrow.compute as pc

from unmask.job import job
from unmask.files import read_facts
from unmask.frequency.counting import counts_of_files
from unmask.frequency.schema import WORD_COUNTS
from unmask.tables import write_table

# the system's memory pool holds back less than the others
pa.set_memory_pool(pa.system_memory_pool())

with job() as run:
    shards = list(run.input.counts)
    counts = counts_of_files(shards)
    facts = {
        "corpus": run.wildcards.corpus,
        "source": run.params.source,
        "shards": len(shards),
        "tokens": pc.sum(counts["count"]).as_py(),
        **run.record(),
    }
    if fetched := [read_facts(file) for file in run.input.get("fetched", [])]:
        facts["fetched"] = fetched
    write_table(run.output[0], counts, WORD_COUNTS, facts)
