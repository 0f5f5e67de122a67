"""Fetch a model from the hub, and note the commit that its revision stands for."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.facts import record, write_facts
from unmask.fetching.hub import fetch_model
from unmask.joblog import job_log

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    entry = snakemake.params.entry
    lent = entry.get("tokenizer")
    tokenizer = (lent["repo"], lent["revision"]) if lent else None
    facts = fetch_model(
        entry["repo"],
        entry["revision"],
        snakemake.output.directory,
        tokenizer,
        bool(entry.get("trust_remote_code")),
    )
    write_facts(snakemake.output.facts, facts | record([], snakemake.params.code, "huggingface_hub"))
