"""Write down the settings that a study's results are of."""

from typing import TYPE_CHECKING

from unmask.joblog import job_log
from unmask.results.settings import write_settings

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    write_settings(snakemake.output[0], snakemake.params.settings)
