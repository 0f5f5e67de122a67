"""Compute the measures from evidence: the Scores table."""

from typing import TYPE_CHECKING

from unmask.benchmarks.schema import PAIRS
from unmask.evidence.chunks import in_chunks
from unmask.evidence.origin import check_one_origin
from unmask.joblog import job_log
from unmask.measures.registry import maskings_of
from unmask.measures.schema import SCORES
from unmask.measures.scoring import score_pairs
from unmask.record import record
from unmask.tables import as_table, read_metadata, read_table, write_batches

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    measures = snakemake.params.measures
    files = {masking: snakemake.input[masking.replace("-", "_")] for masking in maskings_of(measures)}
    check_one_origin(files.values())
    pairs = read_table(snakemake.input.pairs, PAIRS)
    scores = (
        as_table(score_pairs(list(some["pair_id"]), evidence, measures), SCORES)
        for some, evidence in in_chunks(files, pairs)
    )
    facts = {
        **dict(snakemake.wildcards.items()),
        # the evidence may be removed later; where it came from stays
        "evidence": {masking: read_metadata(file) for masking, file in files.items()},
        **record(snakemake.input, snakemake.params.code, "pandas", "pyarrow"),
    }
    write_batches(snakemake.output[0], scores, SCORES, facts)
