"""Fetch a benchmark's file, pinned and checked, and note what was fetched."""

from typing import TYPE_CHECKING

from unmask.errors import InputError
from unmask.facts import write_facts
from unmask.fetching.http import fetch
from unmask.joblog import job_log
from unmask.record import record

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    entry = snakemake.params.entry
    try:
        facts = fetch(entry["url"], snakemake.output[0], entry.get("sha256"), entry.get("git_blob"))
    except InputError as error:
        raise InputError(f"benchmark {snakemake.params.name}: {error}") from None
    write_facts(snakemake.output.facts, facts | record([], snakemake.params.code))
