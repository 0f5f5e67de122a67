"""Compute the figures of merit of all measures, and the controls beside them, from scores on worlds."""

from typing import TYPE_CHECKING

import pandas as pd

import unmask.job_start  # noqa: F401
from unmask.calibration.controls import controls_table
from unmask.calibration.dose_response import dose_response
from unmask.calibration.metrics import metrics_table, rank_of_worlds
from unmask.calibration.mlm_corruption import corruption_table
from unmask.calibration.population import read_population
from unmask.calibration.power import Options
from unmask.calibration.schema import CONTROLS, DOSES, DRAWN, KEPT, METRICS
from unmask.facts import record
from unmask.joblog import job_log
from unmask.tables import read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    inputs, params = snakemake.input, snakemake.params
    options = Options.from_config(params.options)
    population = read_population(
        params.models, params.benchmarks, params.corruptions, inputs.scores, inputs.pairs, inputs.truths
    )
    by_model = population.by_model()
    metrics = metrics_table(by_model, options)
    if drawn := inputs.get("drawn"):
        ranks = rank_of_worlds(read_table(drawn, DRAWN), options)
        metrics = pd.concat([metrics, ranks], ignore_index=True)
    tables = {
        "doses": (dose_response(by_model, options.confidence), DOSES),
        "merits": (metrics, METRICS),
        "controls": (controls_table(population, options.confidence), CONTROLS),
        "kept": (corruption_table(by_model, options.association, options.confidence), KEPT),
    }
    facts = {
        "options": dict(params.options),
        **record(inputs, params.code, "numpy", "pandas", "pyarrow", "scipy", "statsmodels"),
    }
    for name, (rows, schema) in tables.items():
        write_table(snakemake.output[name], rows, schema, facts)
