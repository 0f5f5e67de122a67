"""Write the report's section on where everything came from."""

from typing import TYPE_CHECKING

from unmask.joblog import job_log
from unmask.record import record
from unmask.report.provenance import provenance
from unmask.report.sections import write_section

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    params = snakemake.params
    section = provenance(params.settings, params.entries)
    write_section(snakemake.output[0], section, record(snakemake.input, params.code, "pyarrow"))
