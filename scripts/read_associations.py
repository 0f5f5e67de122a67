"""Read a suite of association tests: what is embedded, and where in the tests it stands."""

from pathlib import Path

from unmask.job import job
from unmask.associations.read_tests import read_stimuli
from unmask.associations.schema import STIMULI
from unmask.associations.words import WordFacts
from unmask.tables import write_table

with job("suite {params.suite}") as run:
    paths, words = list(map(Path, run.input.tests)), list(map(Path, run.input.words))
    facts = WordFacts.from_file(run.input.facts)
    stimuli, tests = read_stimuli(paths, facts, run.params.entry, next(iter(words), None))
    about = {
        "suite": run.params.suite,
        "format": run.params.entry["format"],
        "source": run.params.source,
        "tests": tests,
    }
    write_table(run.output[0], stimuli, STIMULI, about | run.record())
