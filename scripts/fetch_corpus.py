"""Fetch one file of a corpus from the hub or a url, and note what was fetched.

The url is taken from the study's configuration, since Snakemake keeps parameters on disk and a url can have
secrets in it.
"""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.errors import InputError
from unmask.facts import record, write_facts
from unmask.fetching.http import fetch
from unmask.fetching.hub import fetch_shard
from unmask.joblog import job_log

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    params = snakemake.params
    entry = snakemake.config["corpora"][params.name]
    try:
        if "url" in entry:
            facts = fetch(entry["url"], snakemake.output.file, entry.get("sha256"))
        else:
            repo, revision, subset = entry["repo"], entry["revision"], entry.get("subset")
            facts = fetch_shard(repo, revision, subset, params.shard["which"], snakemake.output.file)
    except InputError as error:
        raise InputError(f"corpus {params.name}: {error}") from None
    write_facts(snakemake.output.facts, facts | record([], params.code))
