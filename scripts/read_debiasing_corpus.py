"""Read the corpus that models are debiased with into one text file, a line a document."""

import pyarrow as pa

from unmask.job import job
from unmask.debiasing.data import read_corpus
from unmask.files import write_facts

# the system's memory pool holds back less than the others
pa.set_memory_pool(pa.system_memory_pool())

with job() as run:
    shards = run.input.shards
    facts = read_corpus(
        [shards] if isinstance(shards, str) else list(shards), run.params.entry, run.output.text
    )
    provenance = run.record()
    write_facts(run.output.facts, facts | provenance)
