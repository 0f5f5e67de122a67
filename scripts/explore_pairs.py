"""Gather what the explorer shows of one model on one benchmark: scores, tokens, and what each token adds."""

from typing import TYPE_CHECKING

from unmask.benchmarks.schema import PAIRS
from unmask.evidence.chunks import check_unaltered, in_chunks
from unmask.evidence.likeliest import LIKELIEST
from unmask.evidence.origin import check_one_origin
from unmask.facts import write_facts
from unmask.joblog import job_log
from unmask.measures.reading import read_scores
from unmask.measures.registry import maskings_of
from unmask.pairs.explored import explored, shown_pairs
from unmask.record import record
from unmask.tables import read_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    inputs, params = snakemake.input, snakemake.params
    files = {masking: inputs[masking.replace("-", "_")] for masking in maskings_of(params.measures)}
    check_one_origin(path for name, path in inputs.items() if name != "pairs")
    pairs = read_table(inputs.pairs, PAIRS)
    scores = read_scores(inputs.scores, params.measures)
    evidence = (rows for _, rows in in_chunks(files, pairs))
    # of a model without files, or of a study that does not want them, there are none
    tops = {masking: inputs.get(f"{masking.replace('-', '_')}_top") for masking in files}
    for path in filter(None, tops.values()):
        check_unaltered(path)
    likeliest = {masking: read_table(path, LIKELIEST) for masking, path in tops.items() if path}
    facts = {
        **dict(snakemake.wildcards.items()),
        **explored(shown_pairs(pairs, params.most), scores, evidence, params.measures, likeliest),
        **record(inputs, params.code, "pandas", "pyarrow"),
    }
    write_facts(snakemake.output[0], facts)
