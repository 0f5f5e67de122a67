"""Fetch one file of a task or a labelled table from the hub or a url, and note what was fetched.

A url is taken from the configuration, since Snakemake keeps parameters on disk and it can have secrets in it.
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
    source = snakemake.config
    for key in params.config_keys:
        source = source[key]
    try:
        if "url" in source:
            facts = fetch(source["url"], snakemake.output.file, source.get("sha256"))
        else:
            facts = fetch_shard(
                source["repo"], source["revision"], None, source["file"], snakemake.output.file
            )
    except InputError as error:
        raise InputError(f"{params.what}: {error}") from None
    write_facts(snakemake.output.facts, facts | record([], params.code))
