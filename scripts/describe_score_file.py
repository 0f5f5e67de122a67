"""Describe a file of scores that were made elsewhere as a manifest describes a model with files."""

from pathlib import Path

from unmask.job import job
from unmask.files import sha256_of_file, write_facts
from unmask.pairs.elsewhere import read_score_file

with job() as run:
    path, params = run.input[0], run.params
    entry = dict(params.entry)
    file = read_score_file(path, entry)
    facts = {
        "entry": {"source": "scored", **entry},
        "files": {Path(path).name: sha256_of_file(path)},
        "rows": file.rows,
    }
    write_facts(run.output[0], {**facts, **run.record()})
