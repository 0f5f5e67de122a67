"""Write down the checksums of what a study comes to."""

from typing import TYPE_CHECKING

from unmask.joblog import job_log
from unmask.results.checksums import write_checksums

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    write_checksums(snakemake.output[0], snakemake.input)
