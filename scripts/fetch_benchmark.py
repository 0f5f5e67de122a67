"""Fetch a benchmark's file, pinned and checked, and note what was fetched.

The url is taken from the study's configuration, since Snakemake keeps parameters on disk and a url can have
secrets in it.
"""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.errors import InputError
from unmask.facts import record, write_facts
from unmask.fetching.http import fetch
from unmask.fetching.limits import Limits
from unmask.joblog import job_log

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

LIMITS = Limits(seconds=3600.0, largest=1 << 32)

with job_log(snakemake.log[0], snakemake.input):
    name = snakemake.params.name
    entry = snakemake.config["benchmarks"][name]
    checksums = entry.get("sha256"), entry.get("git_blob")
    try:
        facts = fetch(entry["url"], snakemake.output[0], *checksums, limits=LIMITS)
    except InputError as error:
        raise InputError(f"benchmark {name}: {error}") from None
    write_facts(snakemake.output.facts, facts | record([], snakemake.params.code))
