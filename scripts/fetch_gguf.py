"""Fetch a GGUF file from the hub, and note the commit that its revision stands for."""

from unmask.job import job
from unmask.facts import write_facts
from unmask.fetching.hub import fetch_gguf

with job(packages=["huggingface_hub"]) as run:
    entry = run.params.entry
    facts = fetch_gguf(entry["repo"], entry["revision"], entry["file"], run.output.file)
    write_facts(run.output.facts, facts | run.record())
