"""Check that a model is what it is said to be, and write its manifest."""

from unmask.models.job import making_job
from unmask.models.checking import write_manifest

with making_job() as run:
    about = run.params.manifest
    # a model that was fetched has facts about it
    facts = [] if about["entry"]["source"] == "path" else run.input.files
    write_manifest(run.output[0], about, facts)
