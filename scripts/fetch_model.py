"""Fetch a model from the hub, and note the commit that its revision stands for."""

from unmask.job import job
from unmask.facts import write_facts
from unmask.fetching.hub import fetch_model

with job(packages=["huggingface_hub"]) as run:
    entry = run.params.entry
    lent = entry.get("tokenizer")
    tokenizer = (lent["repo"], lent["revision"]) if lent else None
    facts = fetch_model(
        entry["repo"],
        entry["revision"],
        run.output.directory,
        tokenizer,
        bool(entry.get("trust_remote_code")),
    )
    write_facts(run.output.facts, facts | run.record())
