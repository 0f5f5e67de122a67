"""Fetch one file of a benchmark, corpus, task or labelled table from the hub or a url, and note what it is.

A url that a study states is taken from there: Snakemake keeps parameters on disk, and a url may have secrets.
"""

from unmask.job import job
from unmask.fetching.http import fetch
from unmask.fetching.hub import fetch_file
from unmask.files import write_facts

with job("{params.what}") as run:
    params, file = run.params, run.output.file
    source, stated = params.source, run.config
    for key in params.config_keys:
        # no study states what a published task is read from
        stated = stated.get(key, {})
    if "url" in source:
        checksums = source.get("sha256"), source.get("git_blob")
        facts = fetch(stated.get("url", source["url"]), file, *checksums)
    else:
        repo, revision, subset = source["repo"], source["revision"], source.get("subset")
        facts = fetch_file("dataset", repo, revision, source["file"], file, subset)
    write_facts(run.output.facts, facts | run.record())
