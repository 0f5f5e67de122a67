"""Compute the measures from evidence: the Scores table."""

from typing import TYPE_CHECKING

from unmask.joblog import job_log
from unmask.measures.registry import maskings_of
from unmask.measures.scoring import score_pairs
from unmask.provenance import versions
from unmask.tables import EVIDENCE, PAIRS, SCORES, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0]):
    measures = snakemake.params.measures
    evidence = {
        masking: read_table(snakemake.input[masking.replace("-", "_")], EVIDENCE)
        for masking in maskings_of(measures)
    }
    pairs = read_table(snakemake.input.pairs, PAIRS)
    scores = score_pairs(list(pairs["pair_id"]), evidence, measures)
    facts = {
        **dict(snakemake.wildcards.items()),
        "code": snakemake.params.code,
        "versions": versions("pandas"),
    }
    write_table(snakemake.output[0], scores, SCORES, facts)
