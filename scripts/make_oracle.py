"""Describe an exact model of a world as a manifest describes a model with files."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.facts import record, write_facts
from unmask.joblog import job_log
from unmask.worlds.exact import manifest_of, perfect_model

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    params = snakemake.params
    entry = dict(params.entry)
    manifest = manifest_of(perfect_model(entry, params.settings))
    write_facts(snakemake.output[0], {**manifest, "entry": entry, **record([], params.code, "numpy")})
