"""Write one section of the report: the module of its name, in the folder of its family, makes it."""

from typing import TYPE_CHECKING

from unmask.by_name import load
from unmask.joblog import job_log
from unmask.record import record
from unmask.report.sections import write_section

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0]):
    params = snakemake.params
    module = load(params.folder, params.section)
    section = module.section(dict(snakemake.input.items()), params.settings)
    write_section(snakemake.output[0], section, record(snakemake.input, params.code, "pandas", "pyarrow"))
