"""Correlate the bias scores of models with how unequally they treat the genders in tasks."""

from unmask.job import job
from unmask.downstream.correlation import (
    ModelRole,
    correlations_of,
    intrinsic_scores,
    last_step,
    main_metrics,
)
from unmask.downstream.schema import CORRELATIONS, SCORES
from unmask.report.study_results import load_tables
from unmask.tables import write_table

with job() as run:
    inputs, params = run.input, run.params
    before, after = (
        intrinsic_scores(inputs.get(name) or [], params.measures, params.bias_type)
        for name in ("bias_before", "bias_after")
    )
    correlations = correlations_of(
        [ModelRole(**entry) for entry in params.models],
        before,
        after,
        main_metrics(last_step(load_tables(inputs.extrinsic, SCORES, "model", "task"))),
        {"task": params.tasks, "benchmark": params.benchmarks, "measure": params.measures},
    )
    facts = {key: list(params[key]) for key in ("models", "tasks", "benchmarks", "measures")}
    facts |= {"bias_type": params.bias_type, **run.record()}
    write_table(run.output[0], correlations, CORRELATIONS, facts)
