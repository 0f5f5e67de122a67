"""Write down what may be removed of a study's results, their checksums, and the settings that they are of."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.joblog import job_log
from unmask.results.checksums import write_checksums
from unmask.results.register import write_register
from unmask.results.settings import FILE, settings_text, write_settings

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    params, output = snakemake.params, snakemake.output
    write_register(output.register, params.patterns)
    expected = {FILE: settings_text(params.settings)}
    write_checksums(output.checksums, [*snakemake.input, output.register], expected)
    # written last: a study that has them is finished
    write_settings(output.settings, params.settings)
