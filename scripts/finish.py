"""Write down the settings that a study's results are of, and checksums of its final files."""

from unmask.job import job
from unmask.results.checksums import write_checksums
from unmask.results.settings import write_settings

with job() as run:
    write_settings(run.output.settings, run.params.settings)
    # written last: a study that has them is finished
    write_checksums(run.output.checksums, [*run.input, run.output.settings])
