"""Make an untrained model with the tokenizer of another."""

from unmask.job import NETWORKS, job
from unmask.facts import write_facts
from unmask.models.kinds import write_manifest
from unmask.models.random_weights import make_random

with job("model {params.name}", NETWORKS) as run:
    entry = run.params.entry
    facts = make_random(entry, run.output.directory, entry["seed"])
    provenance = run.record()
    write_facts(run.output.facts, facts | provenance)
    write_manifest(run.output.manifest, run.params.manifest, [run.output.facts])
