"""Fetch one file of a benchmark, corpus, task or labelled table from the hub or a url, and note what it is.

A url that a study states is taken from there: Snakemake keeps parameters on disk, and a url may have secrets.
"""

from pathlib import Path

from unmask.job import job
from unmask.errors import InputError
from unmask.fetching.http import fetch
from unmask.fetching.hub import fetch_file
from unmask.files import sha256_of_file, write_facts

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
        if (got := sha256_of_file(file)) != source.get("sha256", got):
            Path(file).unlink()
            what = f"dataset {repo} at revision {revision}: {facts['file']}"
            raise InputError(f"{what}: wrong checksum: wanted sha256 {source['sha256']}, got {got}")
    write_facts(run.output.facts, facts | run.record())
