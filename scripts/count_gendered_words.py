"""Count feminine and masculine words in the examples of a task."""

from typing import TYPE_CHECKING

from unmask.downstream.gendered import READ_OF_STSB, count_words
from unmask.downstream.schema import EXAMPLES, WORD_COUNTS
from unmask.gendered_words import read_word_pairs
from unmask.given import unchanged
from unmask.joblog import job_log
from unmask.record import record
from unmask.tables import read_metadata, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.given):
    inputs, params = snakemake.input, snakemake.params
    facts = read_metadata(inputs.examples)
    counts = count_words(
        facts["task"],
        read_table(inputs.examples, EXAMPLES),
        read_word_pairs(inputs.words),
        params.confidence,
        READ_OF_STSB if facts["format"] == "stsb" else None,
    )
    made = record(inputs, params.code, "scipy")
    write_table(
        snakemake.output[0],
        counts,
        WORD_COUNTS,
        {"task": facts["task"], "confidence": params.confidence, **made},
    )
