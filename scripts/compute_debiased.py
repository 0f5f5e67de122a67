"""Compute what debiasing leaves of planted associations, from scores of debiased models and their origins."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.calibration.debiased import MadeFrom, debiased_table
from unmask.calibration.population import SOURCE_DEBIASED, read_population
from unmask.calibration.schema import DEBIASED
from unmask.facts import record
from unmask.joblog import job_log
from unmask.tables import write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    inputs, params = snakemake.input, snakemake.params
    population = read_population(
        params.models, params.benchmarks, params.corruptions, inputs.scores, inputs.pairs, inputs.truths
    )
    how_made = {
        str(entry["name"]): MadeFrom.from_config(entry)
        for entry in params.models
        if entry["source"] == SOURCE_DEBIASED
    }
    facts = {
        "confidence": params.confidence,
        **record(inputs, params.code, "numpy", "pandas", "pyarrow", "scipy"),
    }
    rows = debiased_table(population.by_model(), how_made, params.confidence)
    write_table(snakemake.output[0], rows, DEBIASED, facts)
