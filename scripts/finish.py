"""Write down what may be removed of a study's results, their checksums, and the settings that they are of."""

from unmask.job import job
from unmask.results.checksums import write_checksums
from unmask.results.register import write_register
from unmask.results.settings import FILE, settings_text, write_settings

with job() as run:
    params, output = run.params, run.output
    write_register(output.register, params.patterns)
    expected = {FILE: settings_text(params.settings)}
    write_checksums(output.checksums, [*run.input, output.register], expected)
    # written last: a study that has them is finished
    write_settings(output.settings, params.settings)
