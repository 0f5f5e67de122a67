"""Compute the measures from evidence: the Scores table."""

from typing import TYPE_CHECKING

from unmask.benchmarks.schema import PAIRS
from unmask.evidence.chunks import in_chunks
from unmask.evidence.origin import check_one_origin
from unmask.joblog import job_log
from unmask.measures.by_protocol import score_by_protocol
from unmask.measures.exact import is_exact, without_float_error
from unmask.measures.registry import maskings_of
from unmask.measures.schema import SCORES
from unmask.record import record
from unmask.tables import as_table, read_metadata, read_table, write_batches

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    measures = snakemake.params.measures
    files = {masking: snakemake.input[masking.replace("-", "_")] for masking in maskings_of(measures)}
    check_one_origin(files.values())
    # the evidence may be removed later; where it came from stays
    origin = {masking: read_metadata(file) for masking, file in files.items()}
    exact = all(map(is_exact, origin.values()))
    pairs = read_table(snakemake.input.pairs, PAIRS)
    parts = (
        score_by_protocol(list(some["pair_id"]), evidence, measures)
        for some, evidence in in_chunks(files, pairs)
    )
    scores = (as_table(without_float_error(part) if exact else part, SCORES) for part in parts)
    facts = {
        **dict(snakemake.wildcards.items()),
        "evidence": origin,
        **record(snakemake.input, snakemake.params.code, "pandas", "pyarrow"),
    }
    write_batches(snakemake.output[0], scores, SCORES, facts)
