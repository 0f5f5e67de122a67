"""Fetch one file of a task or a labelled table from the hub or a url, and note what was fetched.

A url that a study states is taken from there: Snakemake keeps parameters on disk, and a url may have secrets.
"""

from unmask.job import job
from unmask.facts import write_facts
from unmask.fetching.http import fetch
from unmask.fetching.hub import fetch_shard

with job("{params.what}") as run:
    params = run.params
    source, stated = params.source, run.config
    for key in params.config_keys:
        # no study states what a published task is read from
        stated = stated.get(key, {})
    if "url" in source:
        facts = fetch(stated.get("url", source["url"]), run.output.file, source.get("sha256"))
    else:
        facts = fetch_shard(source["repo"], source["revision"], None, source["file"], run.output.file)
    write_facts(run.output.facts, facts | run.record())
