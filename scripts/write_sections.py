"""Write sections of the report: in the folder of their family, the module of each name makes it."""

from typing import TYPE_CHECKING

from unmask.by_name import load
from unmask.given import unchanged
from unmask.joblog import job_log
from unmask.record import record
from unmask.report.sections import write_section

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.get("given", {})):
    params, inputs = snakemake.params, dict(snakemake.input.items())
    made = record(snakemake.input, params.code, "pandas", "pyarrow")
    for name, path in snakemake.output.items():
        section = load(f"{params.family}/sections", name).section(inputs, params.settings)
        write_section(path, section, made)
