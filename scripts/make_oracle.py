"""Describe an exact model of a world as a manifest describes a model with files."""

from unmask.job import job
from unmask.files import write_facts
from unmask.worlds.exact import exact_model, manifest_of

with job() as run:
    params = run.params
    entry = dict(params.entry)
    manifest = manifest_of(exact_model(entry, params.settings))
    write_facts(run.output[0], {**manifest, "entry": entry, **run.record()})
