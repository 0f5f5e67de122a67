"""Fetch one file of a corpus from the hub or a url, and note what was fetched.

The url is taken from the study's configuration, since Snakemake keeps parameters on disk and a url can have
secrets in it.
"""

from unmask.job import job
from unmask.facts import write_facts
from unmask.fetching.http import fetch
from unmask.fetching.hub import fetch_shard

with job("corpus {params.name}") as run:
    params = run.params
    entry = run.config["corpora"][params.name]
    if "url" in entry:
        facts = fetch(entry["url"], run.output.file, entry.get("sha256"))
    else:
        repo, revision, subset = entry["repo"], entry["revision"], entry.get("subset")
        facts = fetch_shard(repo, revision, subset, params.shard["which"], run.output.file)
    write_facts(run.output.facts, facts | run.record())
