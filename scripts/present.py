"""Present a family of measures: write its tables, its figures, and its sections of the report."""

from typing import TYPE_CHECKING

from unmask.given import unchanged
from unmask.joblog import job_log
from unmask.record import record
from unmask.report.presenting import Given, present

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.get("given", {})):
    params = snakemake.params
    given = Given(dict(snakemake.input.items()), params.settings)
    made = record(snakemake.input, params.code, "pandas", "pyarrow")
    present(params.family, given, dict(snakemake.output.items()), made)
