"""Write down the checksums of what a study comes to."""

from typing import TYPE_CHECKING

from unmask.joblog import job_log
from unmask.results.checksums import write_checksums
from unmask.results.settings import FILE, settings_text

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    # the settings are written last: a study that has them is finished
    write_checksums(snakemake.output[0], snakemake.input, {FILE: settings_text(snakemake.params.settings)})
