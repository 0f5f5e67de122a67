"""Plant a regional bias in worlds whose likelihoods are known, and see which scores find it."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.facts import record
from unmask.joblog import job_log
from unmask.regional.planted import ALPHA, PERMUTATIONS, planted_table
from unmask.regional.schema import REGIONS, WORDS
from unmask.regional.score_schema import PLANTED
from unmask.tables import read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    inputs, params = snakemake.input, snakemake.params
    rates = planted_table(
        read_table(inputs.regions, REGIONS),
        int(read_table(inputs.words, WORDS)["list"].eq(params.list).sum()),
        params.variants,
        params.worlds,
        params.strengths,
        params.seed,
        params.confidence,
    )
    facts = {
        "worlds": params.worlds,
        "alpha": ALPHA,
        "permutations": PERMUTATIONS,
        "seed": params.seed,
        "confidence": params.confidence,
        **record(inputs, params.code, "numpy", "pandas", "pyarrow"),
    }
    write_table(snakemake.output[0], rates, PLANTED, facts)
