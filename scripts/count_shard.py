"""Count the words of one file of a corpus."""

import pyarrow as pa
import pyarrow.compute as pc

from unmask.job import job
from unmask.corpora.reading import read_blocks
from unmask.frequency.counting import count_words
from unmask.frequency.schema import WORD_COUNTS
from unmask.tables import write_table

# the system's memory pool holds back less than the others
pa.set_memory_pool(pa.system_memory_pool())

with job() as run:
    shard = run.input.shard
    counts = count_words(read_blocks(shard, run.params.entry), shard)
    facts = {"shard": run.wildcards.shard, "tokens": pc.sum(counts["count"]).as_py()}
    write_table(run.output[0], counts, WORD_COUNTS, facts | run.record())
