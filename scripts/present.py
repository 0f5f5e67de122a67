"""Present a family of measures: write its tables, its figures, and its sections of the report."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.facts import record
from unmask.input_digests import unchanged
from unmask.joblog import job_log
from unmask.report.presenting import Inputs, present

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.get("input_sha256", {})):
    params = snakemake.params
    inputs = Inputs(dict(snakemake.input.items()), params.settings, params.study)
    facts = record(snakemake.input, params.code, "pandas", "pyarrow")
    present(params.family, inputs, dict(snakemake.output.items()), facts)
