"""Find what is wrong with the pairs of a benchmark."""

from typing import TYPE_CHECKING

from unmask.benchmarks.labelled import LABELS
from unmask.benchmarks.schema import PAIRS
from unmask.joblog import job_log
from unmask.record import record
from unmask.statistics.flaws import flaws_table
from unmask.statistics.schema import FLAWS
from unmask.tables import read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    inputs, params = snakemake.input, snakemake.params
    # most benchmarks have none
    labels = inputs.get("labels")
    flaws = flaws_table(read_table(inputs.pairs, PAIRS), read_table(labels, LABELS) if labels else None)
    facts = {
        "benchmark": params.name,
        **record(snakemake.input, params.code, "pandas", "pyarrow"),
    }
    write_table(snakemake.output[0], flaws, FLAWS, facts)
