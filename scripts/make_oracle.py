"""Describe an exact model of a world as a manifest describes a model with files."""

from unmask.job import job
from unmask.files import write_facts
from unmask.worlds.exact import ExactModel, manifest_of
from unmask.worlds.grammar import World

with job() as run:
    params = run.params
    entry = dict(params.entry)
    world = World.from_config(entry["world"], params.settings)
    manifest = manifest_of(ExactModel(world, entry["kind"]))
    write_facts(run.output[0], {**manifest, "entry": entry, **run.record()})
