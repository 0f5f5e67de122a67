"""Make the tables of calibration."""

from typing import TYPE_CHECKING

from unmask.calibration.making import made_tables
from unmask.files import write_text
from unmask.given import unchanged
from unmask.joblog import job_log

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.given):
    inputs, params = dict(snakemake.input.items()), dict(snakemake.params.items())
    wanted = dict(snakemake.output.items())
    for name, text in made_tables(inputs, params, wanted):
        write_text(wanted[name], text)
