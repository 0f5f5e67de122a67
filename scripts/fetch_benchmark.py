"""Fetch a benchmark's file, pinned and checked, and note what was fetched.

The url is taken from the study's configuration, since Snakemake keeps parameters on disk and a url can have
secrets in it.
"""

from unmask.job import job
from unmask.facts import write_facts
from unmask.fetching.http import fetch
from unmask.fetching.limits import Limits

LIMITS = Limits(seconds=3600.0, largest=1 << 32)

with job("benchmark {params.name}") as run:
    name = run.params.name
    entry = run.config["benchmarks"][name]
    checksums = entry.get("sha256"), entry.get("git_blob")
    facts = fetch(entry["url"], run.output[0], *checksums, limits=LIMITS)
    write_facts(run.output.facts, facts | run.record())
