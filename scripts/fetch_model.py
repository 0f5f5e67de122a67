"""Fetch a model, or the GGUF file of one, from the hub, and note the commit that its revision stands for."""

from unmask.job import job
from unmask.fetching.hub import fetch_file, fetch_model
from unmask.files import write_facts

with job(packages=["huggingface_hub"]) as run:
    entry, output = run.params.entry, run.output
    if "file" in entry:
        facts = fetch_file("model", entry["repo"], entry["revision"], entry["file"], output.file)
    else:
        lent = entry.get("tokenizer")
        tokenizer = (lent["repo"], lent["revision"]) if lent else None
        trusted = bool(entry.get("trust_remote_code"))
        facts = fetch_model(entry["repo"], entry["revision"], output.directory, tokenizer, trusted)
    write_facts(output.facts, facts | run.record())
