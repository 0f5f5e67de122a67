"""Write the model in a GGUF file out as a model directory."""

from unmask.job import NETWORKS, job
from unmask.facts import read_facts, write_facts
from unmask.models.gguf_files import convert_gguf
from unmask.models.kinds import write_manifest

with job("model {params.name}", NETWORKS) as run:
    outputs = run.output
    facts = convert_gguf(run.input.file, outputs.directory, run.params.start)
    if fetched := run.input.get("fetched"):
        origin = read_facts(fetched)
        facts["gguf"] |= {key: origin[key] for key in ("repo", "revision", "commit", "file")}
    provenance = run.record()
    write_facts(outputs.facts, facts | provenance)
    write_manifest(outputs.manifest, run.params.manifest, [outputs.facts])
