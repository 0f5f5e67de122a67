"""Count feminine and masculine words in the examples of all tasks."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.downstream.schema import EXAMPLES, WORD_COUNTS
from unmask.downstream.word_counts import count_words
from unmask.facts import record
from unmask.gendered_words import read_word_pairs
from unmask.input_digests import unchanged
from unmask.joblog import job_log
from unmask.tables import read_metadata, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.input_sha256):
    inputs, params = snakemake.input, snakemake.params
    words = read_word_pairs(inputs.words)
    for path, output in zip(inputs.examples, snakemake.output, strict=True):
        task = read_metadata(path)
        examples, published = read_table(path, EXAMPLES), task["published_rows"]
        counts = count_words(task["task"], examples, words, params.confidence, published)
        facts = {
            "task": task["task"],
            "confidence": params.confidence,
            **record([path, inputs.words], params.code, "scipy"),
        }
        write_table(output, counts, WORD_COUNTS, facts)
