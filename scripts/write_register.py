"""Write down what of a study's results may be removed."""

from typing import TYPE_CHECKING

from unmask.joblog import job_log
from unmask.results.register import write_register

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    write_register(snakemake.output[0], snakemake.params.patterns)
