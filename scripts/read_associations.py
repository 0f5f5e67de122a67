"""Read a suite of association tests: what is embedded, and where in the tests it stands."""

from pathlib import Path

from unmask.job import job
from unmask.associations.schema import STIMULI
from unmask.associations.stimuli import read_stimuli
from unmask.tables import write_table

with job("suite {params.suite}") as run:
    files = {
        name: [Path(path) for path in ([paths] if isinstance(paths, str) else paths)]
        for name, paths in run.input.items()
    }
    stimuli, facts = read_stimuli(files, run.params.entry, run.params.suite, run.params.source)
    write_table(run.output[0], stimuli, STIMULI, facts | run.record())
