"""Compute the figures of merit of all measures, and the controls beside them, from scores on worlds."""

from typing import TYPE_CHECKING

from unmask.calibration.computing import SCHEMAS, compute
from unmask.calibration.population import read_population
from unmask.calibration.power import Options
from unmask.calibration.schema import DRAWN
from unmask.joblog import job_log
from unmask.record import record
from unmask.tables import read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    inputs, params = snakemake.input, snakemake.params
    options = Options.from_config(params.options)
    population = read_population(
        params.models, params.benchmarks, params.corruptions, inputs.scores, inputs.pairs, inputs.truths
    )
    drawn = inputs.get("drawn") or None
    tables = compute(population, read_table(drawn, DRAWN) if drawn else None, options)
    facts = {
        "options": dict(params.options),
        **record(inputs, params.code, "numpy", "pandas", "pyarrow", "scipy", "statsmodels"),
    }
    for name, rows in tables.items():
        write_table(snakemake.output[name], rows, SCHEMAS[name], facts)
