"""Describe an exact model of a world as a manifest describes a model with files."""

from unmask.job import job
from unmask.facts import write_facts
from unmask.worlds.exact import manifest_of, perfect_model

with job() as run:
    params = run.params
    entry = dict(params.entry)
    manifest = manifest_of(perfect_model(entry, params.settings))
    write_facts(run.output[0], {**manifest, "entry": entry, **run.record()})
