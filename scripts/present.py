"""Present a family of measures: write its tables, its figures, and its sections of the report."""

from unmask.job import job
from unmask.plugins import load
from unmask.report.presenting import present

with job() as run:
    params = run.params
    presents = load(params.family, "presenting").PRESENTS
    files, outputs = dict(run.input.items()), dict(run.output.items())
    present(presents, files, params.settings, outputs, params.study, run.record())
