"""Present a family of measures: write its tables, its figures, and its sections of the report."""

from unmask.job import job
from unmask.report.presenting import Inputs, present

with job() as run:
    params = run.params
    inputs = Inputs(dict(run.input.items()), params.settings, params.study)
    present(params.family, inputs, dict(run.output.items()), run.record())
