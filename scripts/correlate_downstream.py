"""Correlate the bias scores of models with how unequally they treat the genders in use."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.downstream.correlation import ModelRole, correlations_of
from unmask.downstream.schema import CORRELATIONS
from unmask.downstream.scores import bias_scores, read_task_scores
from unmask.facts import record
from unmask.joblog import job_log
from unmask.tables import write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    inputs, params = snakemake.input, snakemake.params
    before, after = (
        bias_scores(
            inputs.get(name) or [], params.measures, inputs.get("pairs") or [], params.get("bias_type")
        )
        for name in ("scores_before", "scores_after")
    )
    correlations = correlations_of(
        [ModelRole.from_config(entry) for entry in params.models],
        before,
        after,
        read_task_scores(inputs.extrinsic).main(),
        tasks=params.tasks,
        benchmarks=params.benchmarks,
        measures=params.measures,
    )
    facts = {
        "models": list(params.models),
        "tasks": list(params.tasks),
        "benchmarks": list(params.benchmarks),
        "measures": list(params.measures),
        "bias_type": params.get("bias_type"),
        **record(inputs, params.code, "numpy", "pandas", "pyarrow", "scipy"),
    }
    write_table(snakemake.output[0], correlations, CORRELATIONS, facts)
