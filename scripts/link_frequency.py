"""Link the margins of one model on one benchmark to the log frequency ratios of the pairs."""

from typing import TYPE_CHECKING

from unmask.benchmarks.schema import PAIRS
from unmask.frequency.linking import link_table
from unmask.frequency.schema import LINK, PAIR_RATIOS
from unmask.joblog import job_log
from unmask.measures.reading import read_scores
from unmask.record import record
from unmask.tables import read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    inputs, params = snakemake.input, snakemake.params
    link = link_table(
        read_table(inputs.pairs, PAIRS),
        read_scores(inputs.scores, params.measures),
        read_table(inputs.ratios, PAIR_RATIOS),
        params.confidence,
    )
    facts = {
        "model": params.model,
        "benchmark": params.benchmark,
        **record(inputs, params.code, "pandas", "pyarrow", "scipy"),
    }
    write_table(snakemake.output[0], link, LINK, facts)
