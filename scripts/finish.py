"""Write down the settings that a study's results are of, and checksums of its final files."""

from unmask.job import job
from unmask.facts import write_facts
from unmask.results.checksums import write_checksums

with job() as run:
    write_facts(run.output.settings, run.params.settings)
    # written last: a study that has them is finished
    write_checksums(run.output.checksums, [*run.input, run.output.settings])
